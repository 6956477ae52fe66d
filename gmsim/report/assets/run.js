// SPDX-License-Identifier: BSD-3-Clause
// Completes the data of a run, because each key may be missing.

const PARTS = [
    ['host_ps', 'host'],
    ['pace_ps', 'waiting for its pace'],
    ['queue_ps', 'queue'],
    ['lanai_ps', 'LANai'],
    ['host_dma_ps', 'host DMA'],
    ['wire_ps', 'wire'],
    ['switch_ps', 'switches'],
    ['blocked_ps', 'blocked'],
];

// Returns the parts of a packet's path. Only NICs of the kind `lanai` have a LANai.
function partsOf(run)
{
    return PARTS.map(([key, name]) => [key, key === 'lanai_ps' && run.isHca ? 'NIC' : name]);
}

function list(value)
{
    return Array.isArray(value) ? value : [];
}

function text(value)
{
    return typeof value === 'string' ? value : '';
}

function number(value)
{
    return isNumber(value) ? value : 0;
}

// Sorts flows: first those with a reservation, then by bytes. The first 8 have colours of their
// own.
const COLOURS = 8;

function rankFlows(flows)
{
    const order = [...flows].sort((a, b) => number(b.bytes) - number(a.bytes));
    const first = order.filter(isReserved);
    const rest = order.filter((flow) => !first.includes(flow));

    return [...first.slice(0, COLOURS - 2), ...rest, ...first.slice(COLOURS - 2)];
}

function makeRun(data, index, count)
{
    const flows = list(data.flows);
    const topology = data.topology || {};
    const run = {
        data, index,
        label: (count > 1 ? 'AB'[index] + ': ' : '') +
            [text(data.record), text(data.title) || 'run'].filter(Boolean).join(', '),
        suffix: count > 1 ? '-' + 'ab'[index] : '',
        endPs: number(data.end_ps),
        isHca: (data.cluster || {}).nic_kind === 'hca',
        times: list(data.times_ps),
        flows: rankFlows(flows),
        flowByNumber: new Map(flows.map((flow) => [flow.flow, flow])),
        links: list(topology.links),
        linkByNumber: new Map(list(topology.links).map((link) => [link.link, link])),
        hostByRank: new Map(list(data.hosts).map((host) => [host.rank, host])),
        cardByNode: new Map(list(data.cards).map((card) => [card.node, card])),
    };

    run.flows.forEach((flow, i) => {
        flow.colour = i % COLOURS;
        flow.symbol = Math.floor(i / COLOURS) % 4;
    });
    run.endPs = Math.max(run.endPs, run.times.length ? run.times[run.times.length - 1] : 0);
    return run;
}

// Returns the flows that are shown as lines at first: flows with reservations, and flows with a
// large part of all bytes. If there are a thousand equal flows, their sum shows as much as single
// lines. If two runs are shown side by side, a flow that is a line in one run is a line in both.
const SHOWN_AT_FIRST = 6;
const STANDS_OUT = 0.05;

function firstFlows(run)
{
    const reserved = run.flows.filter(isReserved);
    const all = run.flows.reduce((bytes, flow) => bytes + number(flow.bytes),
                                 number((run.data.others || {}).bytes));
    const large = mainFlows(run).filter((flow) => number(flow.bytes) >= all * STANDS_OUT);

    return [...new Set([...reserved.slice(0, SHOWN_AT_FIRST - 2), ...large])]
        .slice(0, SHOWN_AT_FIRST);
}

function firstFlowsOf(run, runs)
{
    const names = new Set(runs.flatMap(firstFlows).map((flow) => flow.name));

    return run.flows.filter((flow) => names.has(flow.name));
}

// Assigns colours for two runs side by side: flows of the same name look the same, and the flows
// that are shown at first have different colours.
function alignColours(runs)
{
    const order = [...runs.flatMap(firstFlows), ...runs.flatMap((run) => run.flows)];
    const names = [...new Set(order.map((flow) => flow.name))];
    const places = new Map(names.map((name, i) => [name, i]));

    for (const flow of runs.length > 1 ? runs.flatMap((run) => run.flows) : []) {
        const place = places.get(flow.name);

        flow.colour = place % COLOURS;
        flow.symbol = Math.floor(place / COLOURS) % 4;
    }
}

function flowName(run, flowNumber)
{
    const flow = run.flowByNumber.get(flowNumber);

    return (flow && text(flow.name)) || text((run.data.flow_names || {})[flowNumber]) ||
           'flow ' + flowNumber;
}

// Returns the name of a flow and, if the program named it, the communicator.
function flowTitle(flow)
{
    const name = text(flow.name) || 'flow ' + flow.flow;
    const communicator = text(flow.communicator);
    const isTelling = communicator !== '' && communicator !== 'MPI_COMM_WORLD' &&
        !name.includes(communicator);

    return isTelling ? isolate(name) + ' (' + isolate(communicator) + ')' : isolate(name);
}

function isReserved(flow)
{
    return list(flow.reserved).some((step) => step[1] > 0);
}

// Returns the relevant flows, without flows that carry only the few bytes of a barrier.
function mainFlows(run)
{
    const most = run.flows.reduce((bytes, flow) => Math.max(bytes, number(flow.bytes)), 0);

    return run.flows.filter((flow) => isReserved(flow) || number(flow.bytes) >= most / 500);
}

function endName(end)
{
    if (!end) {
        return '?';
    }
    return isNumber(end.node) ? 'node ' + end.node
                              : 'switch ' + end.switch + ' port ' + end.port;
}

function linkName(run, link)
{
    return text(link.name) || endName(link.from) + ' to ' + endName(link.to);
}

function isComplete(run)
{
    return run.data.complete !== false;
}

// The text that replaces data that an incomplete record lacks.
const UNKNOWN_FLOWS = 'A run writes these data when it ends, but this record is incomplete.';

// Returns the values that runs side by side have in common.
function sharedScales(runs)
{
    const flows = runs.flatMap((run) => run.flows);

    return {
        endPs: Math.max(1, ...runs.map((run) => run.endPs)),
        packetPs: flows.reduce((most, flow) => Math.max(most, packetTime(flow)), 0),
        isPair: runs.length > 1,
        runs,
    };
}

// Returns the mean time of a packet, which is the sum of all parts.
function packetTime(flow)
{
    const times = flow.times;

    if (!times || !(times.packets > 0)) {
        return 0;
    }
    return PARTS.reduce((sum, [key]) => sum + number(times[key]), 0) / times.packets;
}
