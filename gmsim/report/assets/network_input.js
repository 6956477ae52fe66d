// SPDX-License-Identifier: BSD-3-Clause
// Selects elements of the network by pointer and by keys.

const NEAR = 9; // pixels

function networkListen(view, picture)
{
    const placeOf = (event) => {
        const box = picture.getBoundingClientRect();

        return [(event.clientX - box.left) * view.place.width / box.width,
                (event.clientY - box.top) * view.place.height / box.height];
    };

    picture.addEventListener('pointermove', (event) => networkTip(view, placeOf(event), event));
    picture.addEventListener('pointerleave', () => {
        view.tip.hidden = true;
    });
    picture.addEventListener('click', (event) => {
        const what = networkAt(view, placeOf(event));

        choose(what === null ? null : {run: view.run, ...what});
    });
    picture.addEventListener('keydown', (event) => networkKey(view, event));
}

function isInside(box, [x, y])
{
    return Math.abs(x - box.x) <= box.width / 2 && y >= box.y && y <= box.y + box.height;
}

// Returns the element at a position: a link if a link is near, else a node or a switch; null if
// there is no element.
function networkAt(view, at)
{
    const near = view.lines.map((line) => [lineDistance(line, at), line])
        .reduce((best, one) => one[0] <= best[0] ? one : best, [Infinity, null]);
    const stubNear = near[1] && near[1].isStub && near[0] <= 3;

    for (const node of view.place.nodes.values()) {
        if (isInside(node, at) && !stubNear) {
            return {node: node.data.node};
        }
    }
    for (const one of view.place.switches.values()) {
        if (isInside(one, at)) {
            return {switch: one.data.switch};
        }
    }
    return near[0] <= NEAR ? {link: near[1].link.link} : null;
}

// Treats bent lines as two straight lines that meet in the middle.
function lineDistance(line, at)
{
    return line.bend
        ? Math.min(pieceDistance(line.x1, line.y1, ...line.middle, at),
                   pieceDistance(...line.middle, line.x2, line.y2, at))
        : pieceDistance(line.x1, line.y1, line.x2, line.y2, at);
}

function pieceDistance(x1, y1, x2, y2, [x, y])
{
    const dx = x2 - x1, dy = y2 - y1;
    const along = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) /
                                              (dx * dx + dy * dy || 1)));

    return Math.hypot(x - x1 - along * dx, y - y1 - along * dy);
}

function networkTip(view, at, event)
{
    const what = networkAt(view, at);
    const frame = view.tip.parentNode.getBoundingClientRect();

    view.tip.hidden = what === null;
    if (what === null) {
        return;
    }
    view.tip.textContent = tipText(view, what);
    const width = view.tip.offsetWidth;

    view.tip.style.left = Math.max(0, Math.min(frame.width - width,
                                               event.clientX - frame.left + 12)) + 'px';
    view.tip.style.top = event.clientY - frame.top + 16 + 'px';
}

function tipText(view, what)
{
    if (isNumber(what.link)) {
        const link = view.run.linkByNumber.get(what.link);

        return linkName(view.run, link) + ': ' + view.measure.name + ' ' +
               view.words(link);
    }
    if (isNumber(what.node)) {
        const card = view.run.cardByNode.get(what.node);

        return 'node ' + what.node + (card ? ': ' + cardParts(view.run).map(([key, name]) =>
            name + ' ' + formatShare(number(card[key]))).join(', ') : '');
    }
    return 'switch ' + what.switch;
}

// The left and right keys select links, beginning with the largest value; the up and down keys
// select nodes.
function networkKey(view, event)
{
    if (event.ctrlKey || event.altKey || event.metaKey) {
        return;
    }
    const isNode = event.key === 'ArrowDown' || event.key === 'ArrowUp';
    const key = isNode ? 'node' : 'link';
    const order = isNode
        ? [...view.place.nodes.values()].map((node) => node.data.node).sort((a, b) => a - b)
        : [...view.run.links].sort((a, b) => view.share(b) - view.share(a))
            .map((link) => link.link);
    const now = order.findIndex((one) => isChosen(view.run, key, one));
    const next = {
        ArrowRight: now + 1, ArrowLeft: now - 1, ArrowDown: now + 1, ArrowUp: now - 1,
        Home: 0, End: order.length - 1,
    }[event.key];

    if (next !== undefined && order.length > 0) {
        event.preventDefault();
        choose({run: view.run, [key]: order[Math.min(order.length - 1, Math.max(0, next))]});
    }
}
