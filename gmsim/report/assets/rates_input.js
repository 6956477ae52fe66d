// SPDX-License-Identifier: BSD-3-Clause
// Handles the cursor and the zoom of the bandwidth figure, by pointer and by keyboard.

function ratesListen(view, picture)
{
    let dragFrom = null;

    const timeOf = (event) => {
        const box = picture.getBoundingClientRect();
        const place = (event.clientX - box.left) * view.plot.width / box.width;

        return Math.min(view.to, Math.max(view.from, view.plot.x.back(place)));
    };
    picture.addEventListener('pointermove', (event) => {
        view.cursor = timeOf(event);
        ratesCursor(view);
        ratesDrag(view, dragFrom, view.cursor);
    });
    picture.addEventListener('pointerdown', (event) => {
        if (event.button === 0) {
            dragFrom = timeOf(event);
            picture.setPointerCapture(event.pointerId);
        }
    });
    picture.addEventListener('pointerup', (event) => {
        const to = timeOf(event), from = dragFrom;

        dragFrom = null;
        ratesDrag(view, null, 0);
        if (from !== null && Math.abs(view.plot.x(to) - view.plot.x(from)) > 8) {
            ratesWindow(view, Math.min(from, to), Math.max(from, to));
        }
    });
    picture.addEventListener('pointercancel', () => {
        dragFrom = null;
        ratesDrag(view, null, 0);
    });
    picture.addEventListener('pointerleave', () => {
        if (document.activeElement !== picture) {
            view.cursor = null;
            ratesCursor(view);
        }
    });
    picture.addEventListener('blur', () => {
        view.cursor = null;
        ratesCursor(view);
    });
    picture.addEventListener('keydown', (event) => ratesKey(view, event));
}

function ratesKey(view, event)
{
    const move = (event.shiftKey ? 0.1 : 0.01) * (view.to - view.from);
    const actions = {
        ArrowLeft: () => ratesStep(view, -move),
        ArrowRight: () => ratesStep(view, move),
        '+': () => ratesZoom(view, 0.5),
        '=': () => ratesZoom(view, 0.5),
        '-': () => ratesZoom(view, 2),
        Home: () => ratesShowAll(view),
    };

    if (actions[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        actions[event.key]();
    }
}

// Moves the cursor; the visible range follows the cursor.
function ratesStep(view, ps)
{
    const width = view.to - view.from;
    const start = view.cursor === null ? view.from + width / 2 : view.cursor;

    view.cursor = Math.min(view.shared.endPs, Math.max(0, start + ps));
    if (view.cursor < view.from || view.cursor > view.to) {
        const from = Math.min(view.shared.endPs - width, Math.max(0, view.cursor - width / 2));

        ratesWindow(view, from, from + width);
    }
    ratesCursor(view);
    view.say(ratesSentence(view));
}

function ratesZoom(view, factor)
{
    const middle = view.cursor === null ? (view.from + view.to) / 2 : view.cursor;
    const width = Math.min(view.shared.endPs,
                           Math.max(view.shared.endPs / 200, (view.to - view.from) * factor));
    const from = Math.min(view.shared.endPs - width, Math.max(0, middle - width / 2));

    ratesWindow(view, from, from + width);
}

function ratesShowAll(view)
{
    ratesWindow(view, 0, view.shared.endPs);
}

function ratesWindow(view, from, to)
{
    const least = view.shared.endPs / 200;

    view.from = from;
    view.to = Math.max(to, from + least);
    view.box.redraw();
    view.say('Shown: ' + formatTime(view.from) + ' to ' + formatTime(view.to));
}

// Draws the line of the cursor, and shows the values at the cursor's time in the legend.
function ratesCursor(view)
{
    const group = view.picture.querySelector('.cursor');

    if (view.cursor === null) {
        group.replaceChildren();
    } else {
        const x = view.plot.x(view.cursor);
        const isRight = x > (view.plot.left + view.plot.right) / 2;

        group.replaceChildren(
            svg('line', {x1: x, x2: x, y1: view.plot.top - 4, y2: view.plot.end}),
            svg('text', {x: x + (isRight ? -6 : 6), y: view.plot.top - 8,
                         'text-anchor': isRight ? 'end' : 'start'}, formatTime(view.cursor)));
    }
    ratesValues(view);
}

function ratesDrag(view, from, to)
{
    const rectangle = view.picture.querySelector('.drag');

    if (from === null) {
        rectangle.setAttribute('width', 0);
        return;
    }
    const x = [view.plot.x(from), view.plot.x(to)].sort((a, b) => a - b);

    rectangle.setAttribute('x', x[0]);
    rectangle.setAttribute('width', x[1] - x[0]);
    rectangle.setAttribute('y', view.plot.top);
    rectangle.setAttribute('height', view.plot.bottom - view.plot.top);
}

// Writes the values at the cursor as text for screen readers.
function ratesSentence(view)
{
    const values = view.run.flows.filter((flow) => view.shown.has(flow)).map((flow) =>
        flowTitle(flow) + ' ' + formatRate(rateAt(view, flow, view.cursor)));
    const near = ratesMarks(view.run).filter((mark) =>
        Math.abs(mark.ps - view.cursor) < (view.to - view.from) / 150).slice(0, 3);

    return 'At ' + formatTime(view.cursor) + ': ' +
           [...values, ...near.map((mark) => text(mark.text))].join('; ');
}
