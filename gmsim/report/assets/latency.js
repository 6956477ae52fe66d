// SPDX-License-Identifier: BSD-3-Clause
// Draws the latencies of packets: a ridge (a mirrored histogram) for each flow, on one
// logarithmic axis.

const RIDGE_HEIGHT = 40;

function latencyRange(runs)
{
    let from = Infinity, to = 0;

    for (const flow of runs.flatMap((run) => run.flows)) {
        for (const [ps, count] of list(flow.latency && flow.latency.histogram)) {
            if (count > 0 && ps > 0) {
                from = Math.min(from, ps);
                to = Math.max(to, stepEnd(ps));
            }
        }
        to = Math.max(to, number(flow.latency && flow.latency.max_ps));
    }
    if (to === 0) {
        return null;
    }
    // widen the range until it contains a tick of the axis
    return [Math.min(from / 1.1, to / 3.3), Math.max(to * 1.1, from * 3.3)];
}

// Returns the end of the histogram step that begins at ps. From 1 us, there are four equal steps
// between successive powers of 2.
function stepEnd(ps)
{
    return ps + 1e6 * 2 ** Math.floor(Math.log2(Math.max(1, ps / 1e6))) / 4;
}

// Returns the number of packets per unit of width on the axis.
function stepDensity([ps, count])
{
    return count / Math.log2(stepEnd(ps) / ps);
}

// Draws the histogram, mirrored about the middle line. Areas are shares of packets.
function ridge(flow, range, width)
{
    const pairs = list(flow.latency.histogram).filter((pair) => pair[0] > 0);
    const most = Math.max(...pairs.map(stepDensity));
    const x = logScale(range[0], range[1], 4, width - 4);
    const middle = RIDGE_HEIGHT / 2;
    const picture = svg('svg', {class: 'ridge', width, height: RIDGE_HEIGHT,
                                viewBox: `0 0 ${width} ${RIDGE_HEIGHT}`, 'aria-hidden': 'true'});

    for (const tick of logTicks(range[0], range[1], width)) {
        picture.append(svg('line', {class: 'grid', x1: x(tick), x2: x(tick), y1: 0,
                                    y2: RIDGE_HEIGHT}));
    }
    for (const [ps, count] of pairs) {
        const height = Math.max(1, stepDensity([ps, count]) / most * (RIDGE_HEIGHT - 6));

        picture.append(svg('rect', {
            class: `step flow-${flow.colour}`, x: x(ps).toFixed(1),
            width: Math.max(1, x(stepEnd(ps)) - x(ps)).toFixed(1),
            y: (middle - height / 2).toFixed(1), height: height.toFixed(1),
        }, svg('title', {}, `${formatTime(ps)} to ${formatTime(stepEnd(ps))}: ` +
            plural(count, 'packet', 'packets'))));
    }
    for (const [key, name] of [['p50_ps', 'p50'], ['p90_ps', 'p90'], ['p99_ps', 'p99']]) {
        const ps = flow.latency[key];

        if (ps > 0) {
            const ends = {x1: x(ps), x2: x(ps), y1: 0, y2: RIDGE_HEIGHT};

            picture.append(svg('line', {class: 'halo', ...ends}),
                           svg('line', {class: 'percentile ' + name, ...ends}));
        }
    }
    return picture;
}

function latencyAxis(range, width)
{
    const x = logScale(range[0], range[1], 4, width - 4);
    const ticks = logTicks(range[0], range[1], width);

    return svg('svg', {class: 'axis', width, height: 22, viewBox: `0 0 ${width} 22`,
                       'aria-hidden': 'true'},
        ticks.map((tick) => [
            svg('line', {x1: x(tick), x2: x(tick), y1: 0, y2: 5}),
            svg('text', {x: Math.min(width - 18, Math.max(16, x(tick))), y: 18,
                         'text-anchor': 'middle'},
                inUnits(TIME_UNITS, tick).replace(/\.0+(?=\D)/, '')),
        ]));
}

function latencyWords(flow)
{
    return [html('strong', {}, formatTime(flow.latency.p50_ps)),
            ` p90 ${formatTime(flow.latency.p90_ps)}, p99 ${formatTime(flow.latency.p99_ps)}`];
}

function latencyTable(flows)
{
    return table('Latency of packets', [['Flow'], ['p50', true], ['p90', true], ['p99', true],
                                        ['Longest', true]],
                 flows.map((flow) => [
                     html('span', {dir: 'auto'}, flowTitle(flow)),
                     ...['p50_ps', 'p90_ps', 'p99_ps', 'max_ps'].map((key) =>
                         formatTime(flow.latency[key]))]));
}

function latencyFigure(run, shared)
{
    const flows = run.flows.filter((flow) =>
        list(flow.latency && flow.latency.histogram).some((pair) => pair[0] > 0));
    const range = latencyRange(shared.runs);

    if (flows.length === 0) {
        return empty(isComplete(run) ? 'No packet arrived in this run.' : UNKNOWN_FLOWS);
    }
    const box = figureBox((width) => {
        // the name is above the drawing if there is no room at its side
        const inner = width >= WIDE ? Math.floor(width * 0.53) - 24 : width;
        const axis = html('div', {class: 'row axis-row'}, html('span', {class: 'row-name'}),
                          html('span', {class: 'row-figure'}, latencyAxis(range, inner)),
                          html('span', {class: 'row-words'}, ''));

        flowRows(run, box, flows,
                 (flow) => [ridge(flow, range, inner), latencyWords(flow)], axis);
    });

    onChoose(() => box.redraw());
    return html('div', {class: 'figure'},
        html('p', {class: 'key'},
            ['p50', 'p90', 'p99'].map((name) => html('span', {},
                svg('svg', {width: 10, height: 16, viewBox: '0 0 10 16', 'aria-hidden': 'true'},
                    svg('line', {class: 'percentile ' + name, x1: 5, x2: 5, y1: 0, y2: 16})),
                name === 'p50' ? 'p50 (half of the packets take this time or less)' : name))),
        box, tableBelow(() => latencyTable(flows)));
}
