// SPDX-License-Identifier: BSD-3-Clause
// Shows the changes from the first run to the second run, the largest change first.

const CHANGES_SHOWN = 40;

// Returns the part by which `after` differs from `before`; null: undefined.
function changeOf(before, after)
{
    return isNumber(before) && isNumber(after) && before > 0 ? after / before - 1 : null;
}

function changeText(change)
{
    if (change === null) {
        return '–';
    }
    return Math.abs(change) < 0.0005 ? 'same'
                                     : (change > 0 ? '+' : '−') + formatShare(Math.abs(change));
}

// Returns the flows that both runs have: [{name, rates: [a, b], waits: [a, b]}, ..]
function commonFlows(runs)
{
    const others = new Map(runs[1].flows.map((flow) => [flow.name, flow]));

    return runs[0].flows.filter((flow) => others.has(flow.name)).map((flow) => {
        const pair = [flow, others.get(flow.name)];

        return {
            title: flowTitle(flow),
            rates: pair.map((one) => one.mean_bytes_s),
            waits: pair.map((one) => one.latency && one.latency.p99_ps),
        };
    });
}

function flowChange(flow)
{
    return Math.max(Math.abs(changeOf(...flow.rates) || 0), Math.abs(changeOf(...flow.waits) || 0));
}

function changesTable(flows)
{
    const shown = flows.slice(0, CHANGES_SHOWN);
    const count = shown.length < flows.length
        ? `, the first ${shown.length} of ${formatCount(flows.length)}` : '';

    return table('Flows of both runs' + count,
                 [['Flow'], ['Mean rate, A', true], ['B', true], ['Change', true],
                  ['Latency p99, A', true], ['B', true], ['Change', true]],
                 shown.map((flow) => [
                     html('span', {dir: 'auto'}, flow.title),
                     ...flow.rates.map(formatRate), changeText(changeOf(...flow.rates)),
                     ...flow.waits.map(formatTime), changeText(changeOf(...flow.waits))]));
}

function onlyIn(runs, i)
{
    const names = new Set(runs[1 - i].flows.map((flow) => flow.name));
    const count = runs[i].flows.filter((flow) => !names.has(flow.name)).length;

    return count > 0 ? `${plural(count, 'flow is', 'flows are')} only in run ${'AB'[i]}. ` : '';
}

function changesSection(runs)
{
    const flows = commonFlows(runs).sort((a, b) => flowChange(b) - flowChange(a));
    const time = runs.map((run) => run.endPs);

    return html('section', {id: 'changes', 'aria-labelledby': 'changes-title'},
        html('h2', {id: 'changes-title'}, 'Changes'),
        html('p', {class: 'why'}, 'Changes from run A to run B, the largest change first.'),
        html('p', {}, `Virtual run time: ${formatTime(time[0])}, then ${formatTime(time[1])} ` +
            `(${changeText(changeOf(...time))}). ` + onlyIn(runs, 0) + onlyIn(runs, 1)),
        flows.length > 0 ? changesTable(flows) : empty('No flow is in both runs.'));
}
