// SPDX-License-Identifier: BSD-3-Clause
// Builds the legend of the bandwidth figure: a switch and a value for each flow.

const LEGEND_FLOWS = 12;

function ratesLegend(view, legend)
{
    const flows = ratesLegendFlows(view);
    const hidden = view.run.flows.length - flows.length;
    const focused = legend.contains(document.activeElement) && document.activeElement.dataset.key;

    view.values = new Map();
    legend.replaceChildren(
        html('p', {class: 'legend-when'}),
        html('ul', {class: 'flows'}, flows.map((flow) => html('li', {}, ratesSwitch(view, flow)))),
        html('div', {class: 'legend-more'},
            hidden > 0 || view.isAll
                ? button(view.isAll ? 'Fewer flows' : `All ${view.run.flows.length} listed flows`, () => {
                    view.isAll = !view.isAll;
                    ratesLegend(view, legend);
                }, {'data-key': 'all', 'aria-expanded': view.isAll ? 'true' : 'false'}) : null,
            button('None', () => {
                view.shown.clear();
                view.refresh();
            }, {'data-key': 'none', 'aria-label': 'Show no flow'}),
            button('First ' + firstFlowsOf(view.run, view.shared.runs).length, () => {
                view.shown = new Set(firstFlowsOf(view.run, view.shared.runs));
                view.refresh();
            }, {'data-key': 'first', 'aria-label': 'Show the flows shown at first'})),
        ratesUnlisted(view), ratesMarkKey(view));
    ratesValues(view);
    if (focused) {
        legend.querySelector(`[data-key="${focused}"]`)?.focus({preventScroll: true});
    }
}

// Explains which flows the list does not contain, because their number is larger than the number
// of the flows in the list.
function ratesUnlisted(view)
{
    const others = view.run.data.others || {};

    return number(others.flows) === 0 ? null : html('p', {class: 'key'},
        `The list contains the largest flows and all flows with a request. ` +
        `${plural(others.flows, 'other flow', 'other flows')} with ` +
        `${formatBytes(others.bytes)} in total ${others.flows === 1 ? 'is' : 'are'} not listed, ` +
        'and only part of the sum. The sum also contains the listed flows without a line.');
}

function ratesLegendFlows(view)
{
    return view.isAll ? view.run.flows
        : view.run.flows.filter((flow, i) => i < LEGEND_FLOWS || view.shown.has(flow));
}

function swatch(flow)
{
    return svg('svg', {class: 'swatch', width: 22, height: 12, viewBox: '0 0 22 12',
                       'aria-hidden': 'true'},
               svg('path', {class: `line flow-${flow.colour}`, d: 'M1,6H21'}),
               flow.symbol ? svg('path', {class: `symbol flow-${flow.colour}`,
                                          d: SYMBOLS[flow.symbol], transform: 'translate(11,6)'})
                           : null);
}

// Returns the reserved bandwidth as one value or as a range, because only a short text fits next
// to a name. The table contains every step.
function reservedShort(flow)
{
    const rates = list(flow.reserved).map((step) => step[1]).filter((rate) => rate > 0);
    const different = [...new Set(rates.map((rate) => formatRate(rate)))];

    return different.length === 1 ? different[0]
        : formatRate(Math.min(...rates)) + ' to ' + formatRate(Math.max(...rates));
}

function ratesSwitch(view, flow)
{
    const value = html('span', {class: 'value'});
    const reserved = isReserved(flow);

    view.values.set(flow, value);
    return html('button', {
        type: 'button', class: 'switch', 'data-key': flow.flow,
        'aria-pressed': view.shown.has(flow) ? 'true' : 'false',
        onclick: () => {
            if (!view.shown.delete(flow)) {
                view.shown.add(flow);
            }
            view.refresh();
        },
    }, swatch(flow), html('span', {class: 'name', dir: 'auto'}, flowTitle(flow)),
    reserved ? html('span', {class: 'tag'}, 'reserved ' + reservedShort(flow)) : null, value);
}

// Shows the values at the cursor; without a cursor, the means of the run.
function ratesValues(view)
{
    const isMean = view.cursor === null;
    const when = view.box.parentNode?.querySelector('.legend-when');

    if (when) {
        when.textContent = (isMean ? 'Mean while active' : 'At ' + formatTime(view.cursor)) + ', ' +
            (view.series === 'sent_bytes_s' ? 'sent' : 'arrived') + ' (' + stepText(view) + '):';
    }
    for (const [flow, element] of view.values || []) {
        element.textContent = formatRate(isMean ? seriesMean(view, flow)
                                                : rateAt(view, flow, view.cursor));
    }
}

// Returns a text about the time over which each step of the drawn lines is a mean.
function stepText(view)
{
    const widths = [...view.pieces.values()].flatMap((pieces) =>
        pieces.slice(0, 2).map(([from, to]) => to - from));
    const widest = Math.max(0, ...widths);

    return 'each step of a line is a mean over ' + (widths.length === 0 ? 'some time'
        : Math.min(...widths) < widest * 0.9 ? 'up to ' + formatTime(widest) : formatTime(widest));
}

// Returns the time from the first to the last bucket in which the flow moved bytes. The record
// contains a more exact mean of arrived bytes.
function seriesMean(view, flow)
{
    const values = list(flow[view.series]);
    const times = view.run.times;
    const first = values.findIndex((rate) => rate > 0);
    const last = values.findLastIndex((rate) => rate > 0);

    if (first < 0 || (view.series === 'arrived_bytes_s' && isNumber(flow.mean_bytes_s))) {
        return number(flow.mean_bytes_s);
    }
    const start = first === 0 ? 0 : times[first - 1];
    let bytes = 0;

    for (let i = first; i <= last; i++) {
        bytes += number(values[i]) * (times[i] - (i === 0 ? 0 : times[i - 1]));
    }
    return bytes / (times[last] - start);
}

function markIcon(kind)
{
    return svg('svg', {class: 'icon', width: 14, height: 14, viewBox: '-7 -7 14 14',
                       'aria-hidden': 'true'},
               svg('path', {class: 'mark ' + kind, d: MARK_KINDS[kind][1]}));
}

function ratesMarkKey(view)
{
    const kinds = new Set(ratesMarks(view.run).map((mark) => mark.kind));
    const hasReservation = view.run.flows.some((flow) => list(flow.reserved).length > 0);

    return html('p', {class: 'key'},
        hasReservation ? html('span', {}, svg('svg', {class: 'swatch', width: 26, height: 12,
                                                      viewBox: '0 0 26 12', 'aria-hidden': 'true'},
            svg('path', {class: 'reservation plain', d: 'M1,6H25'})), 'reservation') : null,
        Object.keys(MARK_KINDS).filter((kind) => kinds.has(kind)).map((kind) =>
            html('span', {}, markIcon(kind), MARK_KINDS[kind][0])));
}
