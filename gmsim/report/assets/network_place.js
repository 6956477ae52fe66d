// SPDX-License-Identifier: BSD-3-Clause
// Positions in the drawing of the network. Switches keep the order and rows of the data. Hosts
// are below their switch (a tree) or at its side (a grid), as large as there is room: boxes
// with words, small boxes, or stubs in columns.

const SWITCH_HEIGHT = 20;
const STUB = {width: 32, height: 15};

// The smallest distance between neighbours in a row; 1 if there are none.
function leastPitch(switches)
{
    const rows = Map.groupBy(switches, (one) => number(one.y));
    let least = Infinity;

    for (const row of rows.values()) {
        const xs = row.map((one) => number(one.x)).sort((a, b) => a - b);

        for (let i = 1; i < xs.length; i++) {
            if (xs[i] - xs[i - 1] > 1e-9) {
                least = Math.min(least, xs[i] - xs[i - 1]);
            }
        }
    }
    return least === Infinity ? 1 : least;
}

// Nodes by their switch, from the links out of nodes.
function nodesBySwitch(run, topology)
{
    const bySwitch = new Map();
    const places = new Map();

    for (const link of run.links) {
        if (link.from && link.to && isNumber(link.from.node) && isNumber(link.to.switch)) {
            places.set(link.from.node, link.to.switch);
        }
    }
    for (const node of list(topology.nodes)) {
        const at = places.get(node.node);

        bySwitch.set(at, [...(bySwitch.get(at) || []), node]);
    }
    return bySwitch;
}

function placeNetwork(run, width)
{
    const topology = run.data.topology;
    const switches = list(topology.switches);
    const hosts = nodesBySwitch(run, topology);
    const pitch = leastPitch(switches);
    const xs = switches.map((one) => number(one.x) / pitch);
    const left = Math.min(...xs), columns = Math.max(...xs) - left + 1;
    const rows = [...new Set(switches.map((one) => number(one.y)))].sort((a, b) => a - b);
    const hostRows = new Set(switches.filter((one) => hosts.has(one.switch)).map((one) => one.y));
    const isGrid = hostRows.size > 1;
    const most = Math.max(1, ...[...hosts.values()].map((nodes) => nodes.length));
    const unit = Math.max(width / columns, isGrid ? 62 : STUB.width + 4);
    const place = {
        isGrid, unit, rows, hosts, most,
        width: Math.max(width, Math.ceil(unit * columns)),
        height: 0, switches: new Map(), nodes: new Map(),
    };
    const xOf = (one) => (number(one.x) / pitch - left + 0.5) * unit;

    (isGrid ? placeGrid : placeTree)(place, switches, xOf);
    return place;
}

// Selects how hosts below a switch are drawn, by the room for each host.
function hostStyle(room, most)
{
    const each = room / most;

    if (each >= 152) {
        return {kind: 'wide', pitch: Math.min(190, each), width: 144, stem: 56, box: 90,
                height: 148};
    }
    if (each >= 36) {
        return {kind: 'box', pitch: Math.min(76, each), width: Math.min(64, each - 6),
                stem: 52, box: 50, height: 104};
    }
    if (each >= 16) {
        return {kind: 'small', pitch: Math.min(26, each), width: Math.min(26, each) - 3,
                stem: 40, box: 38, height: 80};
    }
    const columns = Math.max(1, Math.floor(room / STUB.width));

    return {kind: 'stub', columns: Math.min(columns, most), pitch: STUB.width,
            width: STUB.width - 4, box: STUB.height - 3,
            height: Math.ceil(most / Math.min(columns, most)) * STUB.height + 10};
}

function placeTree(place, switches, xOf)
{
    const style = hostStyle(place.unit * 0.94, place.most);
    const gap = Math.min(220, 70 + place.width * 0.12);
    let y = 12;

    place.style = style;
    for (const row of place.rows) {
        const inRow = switches.filter((one) => number(one.y) === row);
        const hasHosts = inRow.some((one) => place.hosts.has(one.switch));

        for (const one of inRow) {
            const nodes = place.hosts.get(one.switch) || [];
            const columns = style.kind === 'stub' ? style.columns : nodes.length;
            const needed = nodes.length ? columns * style.pitch
                                        : Math.min(place.unit * 0.8, 120);

            place.switches.set(one.switch, {x: xOf(one), y, width: Math.max(30, needed - 4),
                                            height: SWITCH_HEIGHT, data: one});
            placeHosts(place, style, nodes, place.switches.get(one.switch));
        }
        y += SWITCH_HEIGHT + (hasHosts ? style.height : 0);
        place.height = y + 8;
        y += gap;
    }
}

function placeHosts(place, style, nodes, at)
{
    nodes.forEach((node, i) => {
        const columns = style.kind === 'stub' ? style.columns : nodes.length;
        const column = i % columns, row = Math.floor(i / columns);
        const x = at.x + (column - (columns - 1) / 2) * style.pitch;
        const top = at.y + at.height;

        place.nodes.set(node.node, {
            kind: style.kind, data: node, x, anchor: at, trunk: x - STUB.width / 2 + 2,
            y: top + (style.stem || 6 + row * STUB.height),
            width: style.width, height: style.box,
        });
    });
}

// Boxes if the cell of a switch has room for them, else stubs in columns.
function gridStyle(room, most)
{
    if (room / most >= 70) {
        return {kind: 'box', columns: most, pitch: 70, rise: 50, width: 64, box: 50, below: 26};
    }
    return {kind: 'stub', columns: Math.max(1, Math.min(most, Math.floor(room / STUB.width))),
            pitch: STUB.width, rise: STUB.height, width: STUB.width - 4, box: STUB.height - 3,
            below: 9};
}

// Hosts of a grid are in the corner below and to the right of their switch.
function placeGrid(place, switches, xOf)
{
    const style = gridStyle(place.unit - 40, place.most);
    const high = style.below + Math.ceil(place.most / style.columns) * style.rise;
    const step = Math.max(Math.min(place.unit, 130), SWITCH_HEIGHT + high + 18);
    // centres switch and hosts together in the cell
    const wide = 34 + style.columns * style.pitch;

    place.style = style;
    for (const one of switches) {
        const y = 14 + place.rows.indexOf(number(one.y)) * step;
        const at = {x: xOf(one) - wide / 2 + 15, y, width: 30, height: SWITCH_HEIGHT, data: one};

        place.switches.set(one.switch, at);
        (place.hosts.get(one.switch) || []).forEach((node, i) => {
            place.nodes.set(node.node, {
                kind: style.kind, data: node, anchor: at, trunk: null, isBeside: true,
                x: at.x + 14 + style.width / 2 + (i % style.columns) * style.pitch,
                y: y + SWITCH_HEIGHT + style.below + Math.floor(i / style.columns) * style.rise,
                width: style.width, height: style.box,
            });
        });
    }
    place.height = 14 + (place.rows.length - 1) * step + SWITCH_HEIGHT + high + 12;
}
