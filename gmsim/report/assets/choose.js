// SPDX-License-Identifier: BSD-3-Clause
// Keeps the selection that all figures highlight: {run, flow}, {run, link} or {run, node}, or null
// if nothing is selected.

const chosen = {what: null, listeners: []};

function onChoose(listener)
{
    chosen.listeners.push(listener);
}

function choose(what)
{
    chosen.what = what;
    for (const listener of chosen.listeners) {
        listener(what);
    }
}

function isChosen(run, kind, number)
{
    const what = chosen.what;

    return what !== null && what.run === run && what[kind] === number;
}

// Returns the name of the selection, for the bar that shows the selection.
function chosenText(what)
{
    if (isNumber(what.flow)) {
        return 'flow ' + isolate(flowName(what.run, what.flow));
    }
    if (isNumber(what.link)) {
        const link = what.run.linkByNumber.get(what.link);

        return link ? isolate(linkName(what.run, link)) : 'link ' + what.link;
    }
    return 'node ' + what.node;
}

function chosenBar()
{
    const text = html('span', {dir: 'auto'});
    const bar = html('div', {class: 'chosen', hidden: true},
                     html('span', {}, 'Highlighted: '), text,
                     button('Clear (Esc)', () => choose(null)));

    onChoose((what) => {
        bar.hidden = what === null;
        text.textContent = what === null ? '' : chosenText(what);
    });
    document.addEventListener('keydown', (event) => {
        if (event.key === 'Escape' && chosen.what !== null) {
            choose(null);
        }
    });
    return bar;
}
