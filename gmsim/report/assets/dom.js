// SPDX-License-Identifier: BSD-3-Clause
// Creates elements. Text becomes text nodes, never markup.

const SVG_SPACE = 'http://www.w3.org/2000/svg';

// Prevents line breaks in names of flows: a browser would break "0 -> 1" after the hyphen.
function keepArrows(text)
{
    return text.replace(/(\S) -> (?=\S)/g, '$1\u00a0-\u2060>\u00a0');
}

function fill(element, properties, children)
{
    for (const [name, value] of Object.entries(properties || {})) {
        if (value === null || value === undefined ||
            (value === false && !name.startsWith('aria-'))) {
            continue;
        }
        if (name.startsWith('on')) {
            element.addEventListener(name.slice(2), value);
        } else {
            element.setAttribute(name, value === true && !name.startsWith('aria-')
                                         ? '' : String(value));
        }
    }
    for (const child of children.flat(Infinity)) {
        if (child !== null && child !== undefined && child !== false) {
            element.append(typeof child === 'string' ? keepArrows(child) : child);
        }
    }
    return element;
}

function html(tag, properties, ...children)
{
    return fill(document.createElement(tag), properties, children);
}

function svg(tag, properties, ...children)
{
    return fill(document.createElementNS(SVG_SPACE, tag), properties, children);
}

// Returns a name from the record, isolated from the text around the name.
function named(text)
{
    return html('bdi', {}, text);
}

function button(text, action, properties)
{
    return html('button', {type: 'button', onclick: action, ...properties}, text);
}

// Creates buttons, one of which is selected: choices = [[value, text], ..]
function choice(label, choices, current, action)
{
    const buttons = choices.map(([value, text]) =>
        button(text, () => {
            buttons.forEach((other, i) =>
                other.setAttribute('aria-pressed', choices[i][0] === value));
            action(value);
        }, {'aria-pressed': value === current}));

    return html('div', {class: 'choice', role: 'group', 'aria-label': label},
                html('span', {class: 'choice-label', 'aria-hidden': 'true'}, label),
                buttons);
}

// Creates a table: columns = [[heading, is a number], ..]; rows of strings or elements.
function table(caption, columns, rows)
{
    const head = html('tr', {}, columns.map(([text, isNumeric]) =>
        html('th', {scope: 'col', class: isNumeric ? 'number' : null}, text)));
    const body = rows.map((row) => html('tr', {}, row.map((cell, i) =>
        html(i === 0 ? 'th' : 'td', {
            scope: i === 0 ? 'row' : null,
            class: columns[i][1] ? 'number' : null,
        }, typeof cell === 'string' ? named(cell) : cell))));

    return html('div', {class: 'table', role: 'region', tabindex: '0', 'aria-label': caption},
                html('table', {}, html('caption', {}, caption),
                     html('thead', {}, head), html('tbody', {}, body)));
}

// Shows the numbers of a figure as a table below the figure. The table is created when the
// user first opens it.
function tableBelow(make)
{
    const element = html('details', {class: 'below', ontoggle: () => {
        if (element.open && element.children.length === 1) {
            element.append(make());
        }
    }}, html('summary', {}, 'Show the numbers as a table'));

    return element;
}
