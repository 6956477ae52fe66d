// SPDX-License-Identifier: BSD-3-Clause
// Draws figures for their current width, because their text must keep its size. A figure is
// drawn again when its width changes because of the window, the zoom, or printing.

const PRINT_WIDTH = 660; // as in print.css
const WIDE = 640;         // smallest width with names at the side of figures; as in parts.css
const figures = [];

// Creates a figure; draw(width) fills its box.
function figureBox(draw)
{
    const box = html('div', {class: 'box'});
    let drawn = 0;

    const redraw = (width) => {
        if (width >= 40 && width !== drawn) {
            drawn = width;
            draw(width);
        }
    };
    new ResizeObserver((entries) => {
        redraw(Math.floor(entries[0].contentRect.width));
    }).observe(box);
    figures.push({
        print: () => redraw(PRINT_WIDTH),
        screen: () => redraw(Math.floor(box.clientWidth)),
    });
    box.redraw = () => draw(drawn || 300);
    return box;
}

function watchPrint()
{
    window.addEventListener('beforeprint', () => figures.forEach((figure) => figure.print()));
    window.addEventListener('afterprint', () => figures.forEach((figure) => figure.screen()));
}

// Creates a section: a heading, one sentence, and for each run the result of make(run).
function section(id, title, why, runs, make)
{
    const heading = html('h2', {id: id + '-title'}, title);
    const parts = runs.map((run) => {
        const name = runs.length > 1
            ? html('h3', {class: 'run-name', dir: 'auto'}, run.label) : null;

        return html('div', {class: 'run'}, name, make(run));
    });

    return html('section', {id, 'aria-labelledby': id + '-title'}, heading,
                html('p', {class: 'why'}, why),
                runs.length > 1 ? html('div', {class: 'pair'}, parts) : parts);
}

function empty(text)
{
    return html('p', {class: 'empty'}, text);
}
