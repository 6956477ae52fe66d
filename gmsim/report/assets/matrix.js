// SPDX-License-Identifier: BSD-3-Clause
// Draws the bytes from each rank to every other rank. A darker cell means more bytes, by powers
// of two.

const MATRIX_TABLE_PAIRS = 200;

function matrixMost(matrix)
{
    return matrix.reduce((most, row) => Math.max(most, ...list(row).map(number)), 0);
}

// Steps of the heat scale: the largest value has the last step, and each lower step represents
// half as many bytes as the step above it.
function matrixHeat(bytes, most)
{
    return bytes > 0 ? Math.max(1, HEAT_STEPS - 1 - Math.floor(Math.log2(most / bytes) + 1e-9))
                     : 0;
}

// Draws one path per step and joins adjacent equal cells, because 256 x 256 cells must be drawn
// quickly.
function matrixPaths(matrix, most, cell, left, top)
{
    const paths = Array.from({length: HEAT_STEPS}, () => '');
    const gap = cell >= 6 ? 1 : 0;

    matrix.forEach((row, from) => {
        for (let to = 0; to < row.length;) {
            const heat = matrixHeat(number(row[to]), most);
            let end = to + 1;

            while (gap === 0 && end < row.length && matrixHeat(number(row[end]), most) === heat) {
                end++;
            }
            paths[heat] += `M${(left + to * cell).toFixed(1)},${(top + from * cell).toFixed(1)}` +
                `h${((end - to) * cell - gap).toFixed(1)}v${(cell - gap).toFixed(1)}` +
                `h-${((end - to) * cell - gap).toFixed(1)}z`;
            to = end;
        }
    });
    return paths.map((path, heat) => path ? svg('path', {class: 'cells heat-' + heat, d: path})
                                          : null);
}

function matrixLabels(size, cell, left, top)
{
    const room = size > 100 ? 28 : 18;
    const every = [1, 2, 4, 8, 16, 32, 64, 128].find((step) => step * cell >= room);
    const labels = [];

    for (let rank = 0; rank < size; rank += every) {
        const middle = (rank + 0.5) * cell;

        labels.push(svg('text', {x: left - 5, y: top + middle + 4, 'text-anchor': 'end'}, rank),
                    svg('text', {x: left + middle, y: top - 6, 'text-anchor': 'middle'}, rank));
    }
    return svg('g', {class: 'axis'}, labels,
               svg('text', {x: 0, y: 11, class: 'unit'}, 'from ↓, to →'));
}

function matrixFigure(run, shared)
{
    const matrix = list(run.data.matrix);
    const size = matrix.length;
    const most = Math.max(...shared.runs.map((one) => matrixMost(list(one.data.matrix))));

    if (size <= 4 || most === 0) {
        return empty(size <= 4 ? 'This figure is shown only for more than 4 ranks.'
                               : 'No rank sent anything.');
    }
    const said = html('p', {class: 'said', 'aria-live': 'polite'});
    const box = figureBox((width) => {
        const left = 34, top = 34;
        const cell = Math.min(28, (Math.min(width, 620) - left - 2) / size);
        const side = left + size * cell + 2;
        const picture = svg('svg', {
            class: 'plot matrix', width: side, height: side, viewBox: `0 0 ${side} ${side}`,
            tabindex: '0', role: 'img',
            'aria-label': 'Bytes from rank to rank. Arrow keys move from cell to cell.',
        }, matrixPaths(matrix, most, cell, left, top), matrixLabels(size, cell, left, top),
        svg('rect', {class: 'cell-cursor', width: 0, height: 0}));

        box.replaceChildren(picture);
        matrixListen(picture, {matrix, size, cell, left, top, said, at: null});
    });

    return html('div', {class: 'figure'}, matrixKey(most), box, said,
                tableBelow(() => matrixTable(matrix)));
}

function matrixKey(most)
{
    const steps = Array.from({length: HEAT_STEPS - 1}, (_, i) => i + 1);

    return html('p', {class: 'key'},
        html('span', {}, 'up to ' + formatBytes(most / 2 ** (HEAT_STEPS - 2))),
        html('span', {class: 'scale'}, steps.map((step) =>
            html('span', {class: 'chip heat-' + step}))),
        html('span', {}, formatBytes(most)));
}

function matrixListen(picture, view)
{
    const show = (from, to) => {
        view.at = [from, to];
        const cursor = picture.querySelector('.cell-cursor');

        cursor.setAttribute('x', view.left + to * view.cell);
        cursor.setAttribute('y', view.top + from * view.cell);
        cursor.setAttribute('width', view.cell);
        cursor.setAttribute('height', view.cell);
        view.said.textContent = `Rank ${from} to rank ${to}: ` +
            formatBytes(number(view.matrix[from][to]));
    };
    const limit = (value) => Math.min(view.size - 1, Math.max(0, value));

    picture.addEventListener('pointermove', (event) => {
        const box = picture.getBoundingClientRect();
        const to = Math.floor((event.clientX - box.left - view.left) / view.cell);
        const from = Math.floor((event.clientY - box.top - view.top) / view.cell);

        if (from === limit(from) && to === limit(to)) {
            show(from, to);
        }
    });
    picture.addEventListener('keydown', (event) => {
        const steps = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1],
                       ArrowRight: [0, 1]};
        const step = steps[event.key];

        if (step) {
            event.preventDefault();
            const [from, to] = view.at || [-step[0], -step[1]];

            show(limit(from + step[0]), limit(to + step[1]));
        }
    });
}

function matrixTable(matrix)
{
    const pairs = matrix.flatMap((row, from) => list(row).map((bytes, to) => [from, to, bytes]))
        .filter((pair) => pair[2] > 0).sort((a, b) => b[2] - a[2]);
    const shown = pairs.slice(0, MATRIX_TABLE_PAIRS);
    const caption = 'Bytes from rank to rank' + (shown.length < pairs.length
        ? `, the ${shown.length} largest of ${formatCount(pairs.length)} pairs` : '');

    return table(caption, [['From', true], ['To', true], ['Bytes', true]],
                 shown.map(([from, to, bytes]) => [String(from), String(to), formatBytes(bytes)]));
}
