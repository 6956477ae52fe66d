// SPDX-License-Identifier: BSD-3-Clause
// Draws the network as a heat map, in which colours show how busy links and NICs were.

const CARD_PARTS = [['lanai', 'LANai'], ['host_dma', 'host DMA'], ['send_dma', 'send DMA'],
                    ['receive_dma', 'receive DMA']];

// Returns the parts of a NIC. Only NICs of the kind `lanai` have a LANai.
function cardParts(run)
{
    return run.isHca ? CARD_PARTS.slice(1) : CARD_PARTS;
}

// key: the member of a link that has the value; full: the end of the scale, or 0 if the scale
// ends at the largest value
const LINK_MEASURES = {
    utilisation: {
        name: 'busy', most: 'The busiest links', key: 'utilisation', format: formatShare, full: 1,
        unit: ' of the run',
    },
    held: {
        name: 'held', most: 'The links that packets held longest, moving or not', key: 'held',
        format: formatShare, full: 1, unit: ' of the run',
    },
    saturated: {
        name: 'saturated', most: 'The links that were saturated longest', key: 'saturated',
        format: formatShare, full: 1, unit: ' of the run',
    },
    blocked: {
        name: 'blocked', most: 'The links for which packets were blocked longest',
        key: 'blocked_ps', format: formatTime, full: 0, unit: ', sum of all packets',
    },
};

const SCALE_ENDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];

// Returns the end of a measure's scale: 100 %, or less if all links (of both runs) have
// values so small that they would look the same.
function measureEnd(measure, shared)
{
    const most = shared.runs.flatMap((run) => run.links)
        .reduce((value, link) => Math.max(value, number(link[measure.key])), 0);

    return measure.full === 0 || most === 0 ? most || 1
        : SCALE_ENDS.find((end) => end >= most) || measure.full;
}

function measureKey(view)
{
    return heatKey('0', view.measure.format(view.end).replace(/\.0+(?=\D)/, '') +
                   view.measure.unit);
}

function networkDraw(view, width)
{
    const place = placeNetwork(view.run, width);
    const lines = linkLines(view.run, place);
    const picture = svg('svg', {
        class: 'plot network', width: place.width, height: place.height,
        viewBox: `0 0 ${place.width} ${place.height}`, tabindex: '0', role: 'img',
        'aria-label': 'The network. The right and left arrow keys select its links, the busiest ' +
            'first, down and up select its nodes, Home selects the busiest link.',
    });
    const hadFocus = view.box.contains(document.activeElement);

    // draw the link with the largest value on top
    lines.sort((a, b) => view.share(a.link) - view.share(b.link));
    view.place = place;
    view.lines = lines;
    picture.append(networkTrunks(place),
                   svg('g', {class: 'links'}, lines.map((line) => linkPath(view, line))),
                   svg('g', {}, [...place.switches.values()].map(switchBox)),
                   svg('g', {}, [...place.nodes.values()].map((node) => nodeBox(view, node))));
    view.box.replaceChildren(html('div', {class: 'scroll'}, picture));
    networkListen(view, picture);
    if (hadFocus) {
        picture.focus({preventScroll: true});
    }
    networkMark(view);
}

function networkTrunks(place)
{
    return svg('g', {class: 'trunks'}, [...place.nodes.values()].filter((node) =>
        node.kind === 'stub').map((node) => {
        const bottom = node.anchor.y + node.anchor.height;

        return svg('path', {d: `M${node.foot},${bottom}V${node.y + 6}H${node.x - node.width / 2}`});
    }));
}

function linkPath(view, line)
{
    const share = view.share(line.link);
    const most = view.lines.length > 600 ? 2.2 : 4.2;
    const width = line.isStub ? 5 * line.scale : 1.2 + (most - 1.2) * Math.min(1, share);
    const middle = [(line.x1 + line.x2) / 2, (line.y1 + line.y2) / 2];
    const length = Math.hypot(line.x2 - line.x1, line.y2 - line.y1) || 1;
    const control = [middle[0] - (line.y2 - line.y1) / length * line.bend * 2,
                     middle[1] + (line.x2 - line.x1) / length * line.bend * 2];

    line.middle = line.bend ? [(middle[0] + control[0]) / 2, (middle[1] + control[1]) / 2] : middle;
    line.path = svg('path', {
        class: `link heat-${heatStep(share)}`, 'stroke-width': width.toFixed(2),
        'data-link': line.link.link,
        d: `M${line.x1.toFixed(1)},${line.y1.toFixed(1)}` + (line.bend
            ? `Q${control[0].toFixed(1)},${control[1].toFixed(1)} ` : 'L') +
            `${line.x2.toFixed(1)},${line.y2.toFixed(1)}`,
    });
    return line.path;
}

function switchBox(at)
{
    const name = at.width >= 60 ? 'switch ' + at.data.switch : String(at.data.switch);

    at.group = svg('g', {class: 'switch-box'},
        svg('rect', {x: at.x - at.width / 2, y: at.y, width: at.width, height: at.height, rx: 3}),
        svg('text', {x: at.x, y: at.y + 14, 'text-anchor': 'middle'}, name));
    return at.group;
}

// Draws a node: the parts of its NIC as squares, and its number and ranks if they fit.
function nodeBox(view, node)
{
    const ranks = list(node.data.ranks);
    const left = node.x - node.width / 2;
    const group = svg('g', {class: 'node-box ' + node.kind},
        svg('rect', {class: 'node-frame', x: left, y: node.y, width: node.width,
                     height: node.height, rx: 3}));

    if (node.kind === 'wide') {
        group.append(
            svg('text', {x: left + 8, y: node.y + 17}, `node ${node.data.node}, ` +
                (ranks.length === 0 ? 'no rank' : 'rank ' + ranks[0] +
                    (ranks.length > 1 ? ' …' : ''))),
            ...cardLines(view, node, left + 8, node.y + 26));
    } else if (node.kind === 'box') {
        group.append(
            svg('text', {x: node.x, y: node.y + 14, 'text-anchor': 'middle'},
                node.width >= 52 ? 'node ' + node.data.node : String(node.data.node)),
            svg('text', {class: 'small', x: node.x, y: node.y + 28, 'text-anchor': 'middle'},
                ranks.length === 0 ? (node.width >= 52 ? 'no rank' : '–')
                    : (node.width >= 52 ? 'rank ' : 'r') +
                    (ranks.length > 1 ? ranks[0] + ' …' : ranks[0])),
            ...cardSquares(view, node, left + 3, node.y + 34, (node.width - 6) / 4, 12, 4));
    } else if (node.kind === 'small') {
        group.append(
            ...cardSquares(view, node, left + 1.5, node.y + 2, (node.width - 3) / 2, 10, 2),
                     svg('text', {class: 'small', x: node.x, y: node.y + 34,
                                  'text-anchor': 'middle'}, node.data.node));
    } else {
        const part = node.width / STUB_WIDTH;

        group.append(...cardSquares(view, node, left + 14 * part, node.y, 7 * part, 6, 2));
    }
    node.group = group;
    return group;
}

// Draws a node whose box is large enough for words.
function cardLines(view, node, x, y)
{
    const card = view.run.cardByNode.get(node.data.node) || {};

    return cardParts(view.run).flatMap(([key, name], i) => [
        svg('rect', {class: 'card-part heat-' + heatStep(number(card[key])), x, y: y + i * 15,
                     width: 12, height: 12}),
        svg('text', {class: 'small', x: x + 18, y: y + i * 15 + 10},
            name + ' ' + formatShare(number(card[key]))),
    ]);
}

function cardSquares(view, node, x, y, width, height, columns)
{
    const card = view.run.cardByNode.get(node.data.node) || {};

    return cardParts(view.run).map(([key], i) => svg('rect', {
        class: 'card-part heat-' + heatStep(number(card[key])),
        x: (x + (i % columns) * width + 0.5).toFixed(1),
        y: y + Math.floor(i / columns) * height + 0.5,
        width: (width - 1).toFixed(1), height: height - 1,
    }));
}

// Highlights the selection.
function networkMark(view)
{
    const what = chosen.what && chosen.what.run === view.run ? chosen.what : null;

    for (const line of view.lines) {
        const isMeant = what !== null && isLinkMeant(line.link, what);

        line.path.classList.toggle('strong', isMeant);
        line.path.classList.toggle('faint', what !== null && !isMeant);
        if (isMeant && isNumber(what.link)) {
            networkReveal(view, line);
        }
    }
    for (const node of view.place.nodes.values()) {
        node.group.classList.toggle('strong', what !== null && what.node === node.data.node);
    }
    for (const at of view.place.switches.values()) {
        at.group.classList.toggle('strong', what !== null && what.switch === at.data.switch);
    }
    view.panel.replaceChildren(...networkPanel(view, what));
}

// Scrolls to a selected link if the network is wider than the page.
function networkReveal(view, line)
{
    const frame = view.box.querySelector('.scroll');

    const x = line.middle[0] - frame.scrollLeft;

    if (x < 0 || x > frame.clientWidth) {
        frame.scrollLeft += x - frame.clientWidth / 2;
    }
}

function isLinkMeant(link, what)
{
    if (isNumber(what.link)) {
        return link.link === what.link;
    }
    if (isNumber(what.flow)) {
        return list(link.flows).some((one) => one.flow === what.flow);
    }
    const kind = isNumber(what.node) ? 'node' : 'switch';

    return link.from[kind] === what[kind] || link.to[kind] === what[kind];
}

function networkFigure(run, shared)
{
    if (run.links.length === 0) {
        return empty('The record has no data about the network.');
    }
    const view = {run, shared};
    const key = html('div', {});
    const measureBy = (name) => {
        view.measure = LINK_MEASURES[name];
        view.end = measureEnd(view.measure, shared);
        key.replaceChildren(measureKey(view));
    };

    measureBy('utilisation');
    view.share = (link) => number(link[view.measure.key]) / view.end;
    view.words = (link) => view.measure.format(number(link[view.measure.key]));
    view.panel = html('div', {class: 'panel', 'aria-live': 'polite'});
    view.tip = html('div', {class: 'tip', hidden: true, 'aria-hidden': 'true', dir: 'auto'});
    view.box = figureBox((width) => networkDraw(view, width));
    onChoose(() => view.lines && networkMark(view));
    return html('div', {class: 'figure'},
        html('div', {class: 'controls'}, choice('Links', Object.entries(LINK_MEASURES)
            .filter(([name]) => name !== 'held' || run.links.some((link) => isNumber(link.held)))
            .map(([name, measure]) => [name, measure.name]), 'utilisation', (name) => {
            measureBy(name);
            view.box.redraw();
        })),
        key, cardKey(run), html('div', {class: 'map'}, view.box, view.tip), view.panel,
        tableBelow(() => linksTable(run)), cardsBelow(run));
}

function cardKey(run)
{
    const parts = cardParts(run);

    return html('p', {class: 'key'}, html('span', {},
        `The ${parts.length === 3 ? 'three' : 'four'} squares of a node show how busy the parts ` +
        'of its NIC were: ' + parts.map(([, name]) => name).join(', ') + '.'));
}
