// SPDX-License-Identifier: BSD-3-Clause
// Computes the lines of the network. Each cable is two links side by side, each on the right-hand
// side of its direction. Between switches of a tree the lines leave the edges in the order of their
// other ends.

function endKey(end)
{
    return isNumber(end.node) ? 'n' + end.node : 's' + end.switch + ':' + end.port;
}

// [{a, b, links: [a to b, b to a]}, ..]: a and b are ends as in the data
function cablesOf(run)
{
    const cables = new Map();

    for (const link of run.links.filter((one) => one.from && one.to)) {
        const from = endKey(link.from), to = endKey(link.to);
        const isForward = from < to;
        const key = isForward ? from + ' ' + to : to + ' ' + from;
        const cable = cables.get(key) || {
            a: isForward ? link.from : link.to, b: isForward ? link.to : link.from,
            links: [null, null],
        };

        cable.links[isForward ? 0 : 1] = link;
        cables.set(key, cable);
    }
    return [...cables.values()];
}

// Returns the lines of links: [{link, x1, y1, x2, y2, bend}, ..]
function linkLines(run, place)
{
    const cables = cablesOf(run);
    const lines = [];

    for (const cable of cables.filter((one) => isNumber(one.a.node))) {
        lines.push(...hostLines(place, cable));
    }
    lines.push(...switchLines(place, cables.filter((one) => !isNumber(one.a.node))));
    return lines;
}

function hostLines(place, cable)
{
    const node = place.nodes.get(cable.a.node);

    if (!node || isNumber(cable.b.node)) {
        return [];
    }
    if (node.kind === 'stub') { // links of a stub are short bars next to the NIC
        const scale = node.width / STUB_WIDTH, left = node.x - node.width / 2;

        return cable.links.map((link, i) => link && {
            link, scale, isStub: true, x1: left + (3 + i * 6) * scale, y1: node.y,
            x2: left + (3 + i * 6) * scale, y2: node.y + node.height, bend: 0,
        }).filter(Boolean);
    }
    const foot = node.anchor.y + node.anchor.height;
    const from = {x: node.isBeside ? node.x - node.width / 2 + 12 : node.x, y: node.y};
    const to = {x: node.foot, y: foot};

    return sideBySide(cable, from, to, 0);
}

// Returns the lines of the two links of a cable, each to the right of the cable's middle line.
function sideBySide(cable, a, b, bend)
{
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const dx = -(b.y - a.y) / length * 2.6, dy = (b.x - a.x) / length * 2.6;
    const [forward, backward] = cable.links;

    return [
        forward && {link: forward, x1: a.x + dx, y1: a.y + dy, x2: b.x + dx, y2: b.y + dy, bend},
        backward && {link: backward, x1: b.x - dx, y1: b.y - dy, x2: a.x - dx, y2: a.y - dy,
                     bend: -bend},
    ].filter(Boolean);
}

// Spreads the ends of lines on the edges of switches, in the order of the lines' other ends.
function switchLines(place, cables)
{
    const edges = new Map();
    const ends = [];

    for (const cable of cables) {
        const a = place.switches.get(cable.a.switch), b = place.switches.get(cable.b.switch);

        if (a && b && a !== b) {
            const bend = bendOf(place, a, b);
            ends.push({
                cable, bend, ends: [edgeEnd(edges, a, b, bend), edgeEnd(edges, b, a, bend)],
            });
        }
    }
    for (const edge of edges.values()) {
        edge.sort((one, other) => one.order - other.order);
        edge.forEach((end, i) => spreadEnd(end, (i + 1) / (edge.length + 1)));
    }
    return ends.flatMap((pair) => sideBySide(pair.cable, pair.ends[0], pair.ends[1], pair.bend));
}

// Bends lines that would cross a node or switch between their ends.
function bendOf(place, a, b)
{
    const across = Math.abs(a.x - b.x), down = Math.abs(a.y - b.y);

    if (down < 1 && across > place.pitch * 1.5) {
        const most = Math.max(10, a.y - 4); // inside the drawing

        return Math.min(40, 12 + across * 0.06, most) * (a.x < b.x ? -1 : 1);
    }
    if (place.isBeside && across < 1 && down > 1.5 * (place.height / place.rows)) {
        return 14 * (a.y < b.y ? 1 : -1);
    }
    return 0;
}

// Returns the edge of `at` that a line to `other` leaves: 'top', 'bottom', 'left', 'right'.
function edgeEnd(edges, at, other, bend)
{
    const side = other.y < at.y - 1 ? 'top' : other.y > at.y + 1 ? 'bottom'
               : bend !== 0 ? 'top' : other.x < at.x ? 'left' : 'right';
    const key = at.data.switch + side;
    const end = {at, side, order: side === 'left' || side === 'right' ? other.y : other.x,
                 x: 0, y: 0};

    edges.set(key, [...(edges.get(key) || []), end]);
    return end;
}

function spreadEnd(end, share)
{
    const {at, side} = end;

    if (side === 'left' || side === 'right') {
        end.x = at.x + (side === 'left' ? -1 : 1) * at.width / 2;
        end.y = at.y + share * at.height;
    } else {
        end.x = at.x - at.width / 2 + share * at.width;
        end.y = side === 'top' ? at.y : at.y + at.height;
    }
}
