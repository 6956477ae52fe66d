// SPDX-License-Identifier: BSD-3-Clause
// Scales the drawing of the network to the width of the page. The data contain all positions;
// this file scales the positions horizontally, and selects what a host's box shows at its size.

const STUB_WIDTH = 28; // width of a small box in the data

// Returns what a host's box shows: words, the numbers of the host and its rank, or only the host's
// number. A stub has no room for text.
function hostKind(drawing, width)
{
    if (drawing.is_bent) {
        return 'stub';
    }
    if (width >= 144 && drawing.host_height >= 90) {
        return 'wide';
    }
    return width >= 30 && drawing.host_height >= 50 ? 'box' : 'small';
}

// The smallest scale at which boxes are legible. On a narrower page, the drawing scrolls.
function leastScale(drawing)
{
    const forHosts = drawing.is_bent ? 0.6 : 13 / number(drawing.host_width);

    return Math.min(1, Math.max(forHosts, drawing.is_beside ? 62 / number(drawing.pitch) : 0));
}

const HOST_WIDTHS = {wide: 176, box: 80, small: 30, stub: 34}; // at most

function placeNetwork(run, width)
{
    const topology = run.data.topology;
    const drawing = topology.drawing;
    const scale = Math.max(width / number(drawing.width), leastScale(drawing));
    const hostWidth = number(drawing.host_width) * scale;
    const kind = hostKind(drawing, hostWidth);
    const place = {
        scale, isBeside: drawing.is_beside, pitch: number(drawing.pitch) * scale,
        rows: new Set(list(topology.switches).map((one) => one.y)).size,
        width: Math.ceil(number(drawing.width) * scale), height: number(drawing.height),
        switches: new Map(), nodes: new Map(),
    };
    const homes = new Map(run.links.filter((link) => link.from && link.to &&
        isNumber(link.from.node)).map((link) => [link.from.node, link.to.switch]));

    for (const one of list(topology.switches)) {
        place.switches.set(one.switch, {
            data: one, x: number(one.x) * scale,
            y: number(one.y) - number(drawing.switch_height) / 2,
            width: Math.max(number(one.width) * scale, Math.min(22, place.pitch - 2)),
            height: number(drawing.switch_height),
        });
    }
    for (const node of list(topology.nodes)) {
        place.nodes.set(node.node, {
            kind, data: node, anchor: place.switches.get(homes.get(node.node)),
            x: number(node.x) * scale, y: number(node.y) - number(drawing.host_height) / 2,
            foot: number(node.foot) * scale, isBeside: drawing.is_beside,
            width: Math.min(hostWidth, HOST_WIDTHS[kind]), height: number(drawing.host_height),
        });
    }
    return place;
}
