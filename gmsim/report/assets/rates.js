// SPDX-License-Identifier: BSD-3-Clause
// Shows the bandwidth of flows over time. Keeps the state of the figure and connects its parts.

function ratesView(run, shared)
{
    const view = {
        run, shared,
        series: 'arrived_bytes_s',
        from: 0, to: shared.endPs, // picoseconds
        cursor: null,
        shown: new Set(),
        isAll: false, // true: the legend lists all flows
        isSmooth: true,
        pieces: new Map(), // drawn pieces of each flow shown
    };

    view.shown = new Set(firstFlowsOf(run, shared.runs));
    return view;
}

// Returns the number of the bucket that contains a time; -1: none.
function bucketAt(times, ps)
{
    let low = 0, high = times.length - 1;

    if (times.length === 0 || ps < 0 || ps > times[high]) {
        return -1;
    }
    while (low < high) {
        const middle = (low + high) >> 1;

        if (times[middle] < ps) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Joins buckets to [[from, to, mean], ..]: at most `most` pieces of at least `least` buckets
// each.
function joinBuckets(times, values, from, to, most, least = 1)
{
    const first = Math.max(0, bucketAt(times, Math.max(0, from)));
    const last = bucketAt(times, to) < 0 ? times.length - 1 : bucketAt(times, to);
    const step = Math.max(least, Math.ceil((last - first + 1) / most));
    const joined = [];

    for (let i = first; i <= last; i += step) {
        const end = Math.min(times.length - 1, i + step - 1);
        const start = i === 0 ? 0 : times[i - 1];
        let bytes = 0;

        for (let j = i; j <= end; j++) {
            bytes += number(values[j]) * (times[j] - (j === 0 ? 0 : times[j - 1]));
        }
        joined.push([start, times[end], times[end] > start ? bytes / (times[end] - start) : 0]);
    }
    return joined;
}

// In a bucket with few packets, each packet is a visible jump. Therefore enough buckets of a
// flow are joined to hold SMOOTH_PACKETS, as long as the line keeps its shape.
const SMOOTH_PACKETS = 100;
const LEAST_STEPS = 60;

function smoothing(view, flow)
{
    const active = list(flow[view.series]).filter((rate) => rate > 0).length;
    const packets = active > 0 ? number(flow.packets) / active : 0;

    return !view.isSmooth || packets === 0 ? 1
        : Math.max(1, Math.min(Math.ceil(SMOOTH_PACKETS / packets),
                               Math.floor(view.run.times.length / LEAST_STEPS)));
}

// Returns the value of the line at a time.
function rateAt(view, flow, ps)
{
    const piece = list(view.pieces.get(flow)).find(([from, to]) => ps >= from && ps <= to);

    return piece ? piece[2] : number(list(flow[view.series])[bucketAt(view.run.times, ps)]);
}

function ratesTable(view)
{
    const rows = view.run.flows.map((flow) => [
        html('span', {dir: 'auto'}, flowTitle(flow)), text(flow.class), formatBytes(flow.bytes),
        formatRate(flow.mean_bytes_s),
        formatRate(Math.max(0, ...list(flow.arrived_bytes_s))),
        reservedText(flow), delayText(flow),
    ]);
    const others = view.run.data.others;

    if (others && others.flows > 0) {
        rows.push([plural(others.flows, 'other flow', 'other flows'), '',
                   formatBytes(others.bytes), '', '', '', '']);
    }
    return table('Flows', [['Flow'], ['Class'], ['Bytes', true], ['Mean while active', true],
                           ['Highest', true], ['Reserved', true],
                           ['Slowest message, bound', true]], rows);
}

function delayText(flow)
{
    const delay = flow.delay;

    if (!delay || !delay.messages) {
        return delay ? text(delay.verdict) : '';
    }
    return formatTime(delay.worst_ps) +
           (delay.bound_ps > 0 ? ' of ' + formatTime(delay.bound_ps) : '') +
           ': ' + text(delay.verdict);
}

function reservedText(flow)
{
    const steps = list(flow.reserved).filter((step) => step[1] > 0);

    return steps.length ? steps.map((step) => formatRate(step[1])).join(', then ') : 'none';
}

function ratesFigure(run, shared)
{
    if (run.flows.length === 0 || run.times.length === 0) {
        return empty('No flow sent anything in this run.');
    }
    const view = ratesView(run, shared);
    const legend = html('div', {class: 'legend'});
    const said = html('p', {class: 'said', 'aria-live': 'polite'});
    const box = figureBox((width) => ratesDraw(view, width));

    view.box = box;
    view.refresh = () => {
        box.redraw();
        ratesLegend(view, legend);
    };
    view.say = (sentence) => {
        said.textContent = sentence;
    };
    ratesLegend(view, legend);
    onChoose((what) => {
        if (what && what.run === run && run.flowByNumber.has(what.flow)) {
            view.shown.add(run.flowByNumber.get(what.flow));
        }
        view.refresh();
    });
    return html('div', {class: 'figure'}, ratesControls(view), box, said, legend,
                tableBelow(() => ratesTable(view)));
}

function ratesControls(view)
{
    return html('div', {class: 'controls'},
        choice('Bytes', [['arrived_bytes_s', 'arrived'], ['sent_bytes_s', 'sent']], view.series,
               (series) => {
                   view.series = series;
                   view.refresh();
               }),
        choice('Lines', [[true, 'smoothed'], [false, 'as recorded']], view.isSmooth, (isSmooth) => {
            view.isSmooth = isSmooth;
            view.refresh();
        }),
        html('div', {class: 'choice', role: 'group', 'aria-label': 'Zoom'},
             html('span', {class: 'choice-label', 'aria-hidden': 'true'}, 'Zoom'),
             button('+', () => ratesZoom(view, 0.5), {'aria-label': 'Zoom in'}),
             button('−', () => ratesZoom(view, 2), {'aria-label': 'Zoom out'}),
             button('whole run', () => ratesShowAll(view))));
}
