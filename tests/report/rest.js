// SPDX-License-Identifier: BSD-3-Clause
// rest.js ASSETS: checks that in the bandwidth figure, the lines and the area of all other
// flows add up to the total at every time, for any selection of lines.
'use strict';
const fs = require('fs');
const vm = require('vm');

for (const name of ['format.js', 'run.js', 'rates_plot.js']) {
    vm.runInThisContext(fs.readFileSync(process.argv[2] + '/' + name, 'utf8'), name);
}

const test = `
const TIMES = 50;

function makeDocument(count, others, rateOf)
{
    const series = (flow) => Array.from({length: TIMES}, (_, i) => rateOf(flow, i));
    const flow = (i) => ({flow: i + 1, name: i + ' -> x', bytes: 1000 + rateOf(i, 0),
                          arrived_bytes_s: series(i), sent_bytes_s: series(i)});

    return {
        times_ps: Array.from({length: TIMES}, (_, i) => (i + 1) * 1e9), end_ps: TIMES * 1e9,
        flows: Array.from({length: count}, (_, i) => flow(i)),
        others: others === 0 ? null : {flows: others, bytes: 1000 * others,
            arrived_bytes_s: series(others), sent_bytes_s: series(others)},
    };
}

function checkSums(data, shown)
{
    const run = makeRun(data, 0, 1);
    const view = {run, series: 'arrived_bytes_s', shown: new Set(shown(run))};
    const rest = ratesRest(view);

    for (let i = 0; i < TIMES; i++) {
        const all = data.flows.reduce((sum, flow) => sum + flow.arrived_bytes_s[i], 0) +
            (data.others ? data.others.arrived_bytes_s[i] : 0);
        const lines = [...view.shown].reduce((sum, flow) => sum + flow.arrived_bytes_s[i], 0);

        if (Math.abs(lines + rest.arrived_bytes_s[i] - all) > 1e-6 * all) {
            throw new Error(lines + ' in lines and ' + rest.arrived_bytes_s[i] + ' of ' + all);
        }
    }
    if (rest.flows + view.shown.size !== data.flows.length +
        (data.others ? data.others.flows : 0)) {
        throw new Error('flows are missing');
    }
    return view.shown.size;
}

const alltoall = makeDocument(40, 952, () => 1e6);
const demo = makeDocument(3, 0, (flow, i) => 1e6 * (flow + 1) + i);

for (const data of [alltoall, demo, makeDocument(12, 5, (flow, i) => flow * i * 1e3)]) {
    checkSums(data, (run) => firstFlowsOf(run, [run]));
    checkSums(data, () => []);
    checkSums(data, (run) => run.flows);
    checkSums(data, (run) => run.flows.filter((flow) => flow.flow % 2));
}
// among equal flows, no flow has a line of its own; if there are few flows, every flow has a line
if (checkSums(alltoall, (run) => firstFlowsOf(run, [run])) !== 0 ||
    checkSums(demo, (run) => firstFlowsOf(run, [run])) !== 3) {
    throw new Error('lines shown at first');
}
`;
vm.runInThisContext(test, 'rest.js');
