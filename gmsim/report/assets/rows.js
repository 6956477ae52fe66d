// SPDX-License-Identifier: BSD-3-Clause
// Builds figures with a row for each flow: name, drawing and text.

const ROWS_AT_FIRST = 12;

// make(flow) returns [drawing, text]; after: an element below the rows, or null. The holder
// stores whether all rows are shown.
function flowRows(run, holder, flows, make, after)
{
    const isWhole = holder.dataset.whole === 'yes';
    const telling = mainFlows(run).filter((flow) => flows.includes(flow)).slice(0, ROWS_AT_FIRST);
    const shown = isWhole || telling.length === 0 ? flows
                                                  : flows.filter((flow) => telling.includes(flow));

    holder.replaceChildren(
        html('ul', {class: 'rows'}, shown.map((flow) => flowRow(run, flow, make))),
        ...(after ? [after] : []),
        ...(shown.length < flows.length || isWhole
            ? [button(isWhole ? 'Fewer flows' : `All ${flows.length} flows`, () => {
                holder.dataset.whole = isWhole ? 'no' : 'yes';
                flowRows(run, holder, flows, make, after);
                holder.querySelector(':scope > button').focus({preventScroll: true});
            }, {'aria-expanded': isWhole ? 'true' : 'false'})] : []));
}

function flowRow(run, flow, make)
{
    const [drawing, words] = make(flow);

    return html('li', {class: isChosen(run, 'flow', flow.flow) ? 'row strong' : 'row'},
                html('span', {class: 'row-name', dir: 'auto'}, swatch(flow), flowTitle(flow)),
                html('span', {class: 'row-figure'}, drawing),
                html('span', {class: 'row-words'}, words));
}
