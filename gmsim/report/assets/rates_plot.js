// SPDX-License-Identifier: BSD-3-Clause
// Draws the bandwidth figure: lines, reservations, marks of events, other flows.

const PLOT_HEIGHT = 280;
const OTHERS_HEIGHT = 46;
const MARK_LANE = 13; // height of a lane; each kind of marks has its own lane
const MARK_KINDS = {
    grant: ['granted', 'M0,-5 5,0 0,5 -5,0Z'],
    denial: ['denied', 'M-4,-4 4,4M4,-4 -4,4'],
    release: ['released', 'M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0'],
    fault: ['fault', 'M0,-5 5,4 -5,4Z'],
    stall: ['stalled', 'M-4,-4H4V4H-4Z'],
};

function ratesDraw(view, width)
{
    const others = ratesRest(view);
    const isAlone = view.shown.size === 0; // then the other flows fill the area of the lines
    const hasOthers = others.flows > 0;
    const marks = ratesMarks(view.run);
    const plot = {
        left: 52, right: width - (width >= WIDE ? 150 : 10), top: 22, bottom: 22 + PLOT_HEIGHT,
        width,
    };

    plot.lanes = Object.keys(MARK_KINDS).filter((kind) => marks.some((one) => one.kind === kind));
    plot.marksBottom = plot.bottom + 8 + plot.lanes.length * MARK_LANE;
    plot.othersTop = plot.marksBottom + 20;
    plot.end = hasOthers && !isAlone ? plot.othersTop + OTHERS_HEIGHT : plot.marksBottom;
    plot.height = plot.end + 36;
    plot.x = linearScale(view.from, view.to, plot.left, plot.right);
    plot.most = roundUp(isAlone ? ratesHighest(view, plot, others) : ratesMost(view, plot), 5);
    plot.y = linearScale(0, plot.most, plot.bottom, plot.top);
    view.plot = plot;

    const picture = svg('svg', {
        class: 'plot rates', width, height: plot.height, viewBox: `0 0 ${width} ${plot.height}`,
        tabindex: '0', role: 'img',
        'aria-label': 'Bandwidth over time. Left and right arrow move a cursor, plus and ' +
            'minus zoom, Home shows the whole run.',
    });
    picture.append(ratesGrid(plot), ratesTimeAxis(view, plot));
    if (hasOthers) {
        picture.append(isAlone ? ratesAlone(view, plot, others) : ratesOthers(view, plot, others));
    }
    picture.append(ratesLines(view, plot), ratesMarksDrawn(view, plot, marks),
                   svg('g', {class: 'cursor'}), svg('rect', {class: 'drag'}));
    ratesListen(view, picture);
    const hadFocus = view.box.contains(document.activeElement);

    view.box.replaceChildren(picture);
    view.picture = picture;
    if (hadFocus) {
        picture.focus({preventScroll: true});
    }
    ratesCursor(view);
}

// Returns the sum of all flows without a line: the flows that the data combine, and the flows that
// are not shown. At every time, the lines and this sum add up to the total.
function ratesRest(view)
{
    const others = view.run.data.others || {};
    const hidden = view.run.flows.filter((flow) => !view.shown.has(flow));
    const values = list(others[view.series]);

    return {
        flows: number(others.flows) + hidden.length,
        [view.series]: view.run.times.map((_, i) => hidden.reduce(
            (sum, flow) => sum + number(list(flow[view.series])[i]), number(values[i]))),
    };
}

function ratesHighest(view, plot, others)
{
    return Math.max(1, ...ratesBuckets(view, plot, others[view.series]).map((one) => one[2])) * 1.02;
}

// Returns the largest value shown, for the scale. Two runs side by side share this value.
function ratesMost(view, plot)
{
    const runs = view.shared.isPair ? view.shared.runs : [view.run];
    let most = 0;

    for (const run of runs) {
        const flows = run === view.run ? [...view.shown] : firstFlowsOf(run, view.shared.runs);

        for (const flow of flows) {
            const pieces = joinBuckets(run.times, list(flow[view.series]), view.from, view.to,
                                       plotSteps(plot), smoothing({...view, run}, flow));

            most = pieces.reduce((rate, piece) => Math.max(rate, piece[2]), most);
            list(flow.reserved).forEach((step) => {
                most = Math.max(most, number(step[1]));
            });
        }
    }
    return most * 1.02;
}

function ratesGrid(plot)
{
    const ticks = linearTicks(0, plot.most, 5);
    const words = tickText(RATE_UNITS, ticks);

    return svg('g', {class: 'axis'},
        svg('text', {x: 0, y: 12, class: 'unit'}, words.unit),
        ticks.map((tick) => [
            svg('line', {x1: plot.left, x2: plot.right, y1: plot.y(tick), y2: plot.y(tick)}),
            svg('text', {x: plot.left - 6, y: plot.y(tick) + 4, 'text-anchor': 'end'},
                words.text(tick)),
        ]));
}

function ratesTimeAxis(view, plot)
{
    const ticks = linearTicks(view.from, view.to, Math.max(2, (plot.right - plot.left) / 90));
    const words = tickText(TIME_UNITS, ticks);

    return svg('g', {class: 'axis'},
        ticks.map((tick) => [
            svg('line', {x1: plot.x(tick), x2: plot.x(tick), y1: plot.bottom, y2: plot.bottom + 5}),
            svg('text', {x: plot.x(tick), y: plot.end + 18, 'text-anchor': 'middle'},
                words.text(tick)),
        ]),
        svg('text', {x: plot.right, y: plot.end + 33, 'text-anchor': 'end', class: 'unit'},
            'virtual time, ' + words.unit));
}

function stepPath(buckets, x, y)
{
    let path = '';

    for (const [from, to, value] of buckets) {
        path += (path ? 'L' : 'M') + x(from).toFixed(1) + ',' + y(value).toFixed(1) + 'H' +
                x(to).toFixed(1);
    }
    return path;
}

// Draws the steps of a line, four pixels each.
function plotSteps(plot)
{
    return Math.max(20, (plot.right - plot.left) / 4);
}

function ratesBuckets(view, plot, values, least = 1)
{
    return joinBuckets(view.run.times, list(values), view.from, view.to,
                       plotSteps(plot), least)
        .map(([from, to, value]) => [Math.max(from, view.from), Math.min(to, view.to), value]);
}

function ratesLines(view, plot)
{
    const group = svg('g', {class: 'lines'});
    const reservations = svg('g', {});
    const labels = [];

    view.pieces.clear();
    for (const flow of view.run.flows.filter((one) => view.shown.has(one))) {
        const buckets = ratesBuckets(view, plot, flow[view.series], smoothing(view, flow));
        const state = chosen.what && chosen.what.run === view.run && isNumber(chosen.what.flow)
            ? (isChosen(view.run, 'flow', flow.flow) ? ' strong' : ' faint') : '';

        fill(group, {}, [
            svg('path', {class: `line flow-${flow.colour}${state}`, 'data-flow': flow.flow,
                         d: stepPath(buckets, plot.x, plot.y)}),
            lineSymbols(flow, buckets, plot)]);
        fill(reservations, {}, [ratesReservation(view, plot, flow, state)]);
        view.pieces.set(flow, buckets);
        if (buckets.length) {
            labels.push({flow, y: plot.y(lineLevel(buckets))});
        }
    }
    group.append(reservations);
    if (plot.width >= WIDE) {
        group.append(...endLabels(labels, plot));
    }
    return group;
}

// Returns the position of a line's label: the last value that the line had for some time.
function lineLevel(buckets)
{
    const last = buckets.slice(-Math.max(1, Math.ceil(buckets.length / 10)));

    return last.reduce((sum, bucket) => sum + bucket[2], 0) / last.length;
}

// Writes names next to the lines, and moves overlapping names apart.
function endLabels(labels, plot)
{
    labels.sort((a, b) => a.y - b.y);
    let free = plot.top + 4;

    for (const label of labels) {
        label.y = Math.max(free, label.y);
        free = label.y + 15;
    }
    let limit = plot.bottom;

    for (const label of [...labels].reverse()) {
        label.y = Math.min(limit, label.y);
        limit = label.y - 15;
    }
    return labels.map(({flow, y}) =>
        svg('text', {class: `label flow-${flow.colour}`, x: plot.right + 8, y: y + 4},
            isolate(shorten(text(flow.name) || 'flow ' + flow.flow, 20))));
}

// Symbols that distinguish lines of the same colour.
const SYMBOLS = ['', 'M-3,0a3,3 0 1,0 6,0a3,3 0 1,0 -6,0', 'M-3,-3H3V3H-3Z', 'M0,-4 4,3 -4,3Z'];

function lineSymbols(flow, buckets, plot)
{
    const every = Math.max(1, Math.ceil(buckets.length / 8));

    return flow.symbol === 0 ? null : svg('g', {},
        buckets.filter((_, i) => i % every === (flow.flow * 3) % every).map(([from, to, value]) =>
            svg('path', {class: `symbol flow-${flow.colour}`, d: SYMBOLS[flow.symbol],
                         transform: `translate(${plot.x((from + to) / 2).toFixed(1)},` +
                             `${plot.y(value).toFixed(1)})`})));
}

function ratesReservation(view, plot, flow, state)
{
    const steps = list(flow.reserved);
    let path = '';

    steps.forEach(([from, rate], i) => {
        const to = Math.min(i + 1 < steps.length ? steps[i + 1][0] : view.run.endPs, view.to);
        const start = Math.max(from, view.from);

        if (rate > 0 && to > start) {
            path += `M${plot.x(start).toFixed(1)},${plot.y(rate).toFixed(1)}` +
                    `H${plot.x(to).toFixed(1)}`;
        }
    });
    return path ? svg('path', {class: `reservation flow-${flow.colour}${state}`, d: path}) : null;
}

function areaPath(buckets, x, y)
{
    const line = stepPath(buckets, x, y);

    return line && line + `V${y(0).toFixed(1)}H${x(buckets[0][0]).toFixed(1)}Z`;
}

// Draws the sum of all flows in the area of the lines if no flow has its own line or no flow is
// selected.
function ratesAlone(view, plot, others)
{
    const buckets = ratesBuckets(view, plot, others[view.series]);

    return svg('g', {class: 'others'},
        svg('path', {class: 'area', d: areaPath(buckets, plot.x, plot.y)}),
        svg('text', {x: plot.left + 6, y: plot.top - 6},
            plural(others.flows, 'flow', 'flows') + ' together'));
}

function ratesOthers(view, plot, others)
{
    const buckets = ratesBuckets(view, plot, others[view.series]);
    const most = roundUp(Math.max(1, ...buckets.map((bucket) => bucket[2])), 1);
    const y = linearScale(0, most, plot.othersTop + OTHERS_HEIGHT, plot.othersTop);

    return svg('g', {class: 'others'},
        svg('path', {class: 'area', d: areaPath(buckets, plot.x, y)}),
        svg('line', {class: 'base', x1: plot.left, x2: plot.right, y1: y(0), y2: y(0)}),
        svg('text', {x: plot.left, y: plot.othersTop - 5},
            plural(others.flows, 'other flow', 'other flows') + ', sum, scale to ' +
            formatRate(most)));
}

// Returns the events to mark, [{ps, kind, text}, ..], in the order of their times.
function ratesMarks(run)
{
    const data = run.data;
    const marks = [
        ...list(data.decisions).filter((one) => MARK_KINDS[one.kind]),
        ...list(data.faults).map((fault) => ({...fault, kind: 'fault'})),
        ...list(data.stalls).map((stall) => ({...stall, kind: 'stall'})),
    ];

    return marks.filter((mark) => isNumber(mark.ps)).sort((a, b) => a.ps - b.ps);
}

// Joins marks of a kind that would cover each other.
function ratesMarksDrawn(view, plot, marks)
{
    const group = svg('g', {class: 'marks'});
    const last = {};

    for (const mark of marks.filter((one) => one.ps >= view.from && one.ps <= view.to)) {
        const x = plot.x(mark.ps);

        if (last[mark.kind] !== undefined && x - last[mark.kind] < 7) {
            continue;
        }
        last[mark.kind] = x;
        const y = plot.bottom + 14 + plot.lanes.indexOf(mark.kind) * MARK_LANE;

        if (mark.kind === 'fault') {
            group.append(svg('line', {class: 'fault-line', x1: x, x2: x, y1: plot.top,
                                      y2: plot.bottom}));
        }
        group.append(svg('path', {class: 'mark ' + mark.kind, d: MARK_KINDS[mark.kind][1],
                                  transform: `translate(${x.toFixed(1)},${y})`},
                         svg('title', {}, formatTime(mark.ps) + ': ' + text(mark.text))));
    }
    return group;
}
