// SPDX-License-Identifier: BSD-3-Clause
// Builds the page from its sections, in their order.

function whySentences()
{
    return {
        rates: 'The bandwidth of each flow. A dashed line is its reserved bandwidth. ' +
            'Drag across a time range to zoom, or use the keyboard: the arrow keys move the ' +
            'cursor, + and − zoom, and Home shows the whole run.',
        decisions: 'Every request for bandwidth with its result and the reason, and all faults ' +
            'and stalled flows.',
        network: 'How busy each link and each NIC was: a thicker, stronger line means a ' +
            'busier link. Each cable is drawn as two links side by side, one for each ' +
            'direction. Select a link or a node to see its flows.',
        stations: 'The mean time of a packet from the program\'s call to the arrival of the data ' +
            'in the target\'s memory, divided into the parts of its path. The flow with the ' +
            'longest time is first.',
        latency: 'Latencies of packets, with the same logarithmic scale for each flow. The wider ' +
            'the shape, the more packets had this latency.',
        matrix: 'Bytes that each rank sent to every other rank.',
        setup: 'The data needed to repeat this run. Repeating the run produces identical numbers.',
    };
}

function contents(ids)
{
    return html('nav', {class: 'contents', 'aria-label': 'Sections'},
                html('ul', {}, ids.map(([id, title]) =>
                    html('li', {}, html('a', {href: '#' + id}, title)))));
}

function page(runs, shared)
{
    const why = whySentences();
    const figuresOf = [
        ['rates', 'Bandwidth over time', ratesFigure],
        ['decisions', 'Requests, grants and denials', decisionsFigure],
        ['network', 'The network', networkFigure],
        ['stations', 'Time of a packet', stationsFigure],
        ['latency', 'Latencies', latencyFigure],
        ['matrix', 'Bytes between ranks', matrixFigure],
        ['setup', 'Setup', setupFigure],
    ].filter(([id]) => id !== 'matrix' || runs.some((run) => list(run.data.matrix).length > 4));

    return [
        html('a', {class: 'skip', href: '#main'}, 'Skip to the findings'),
        header(runs),
        contents(figuresOf.map(([id, title]) => [id, title])),
        html('main', {id: 'main', tabindex: '-1'}, summarySection(runs),
             runs.length > 1 ? changesSection(runs) : null,
             figuresOf.map(([id, title, make]) =>
                 section(id, title, why[id], runs, (run) => make(run, shared)))),
        chosenBar(),
        html('footer', {}, html('p', {}, 'Times are virtual; MB/s are 10', html('sup', {}, '6'),
                                ' bytes of payload per second. Nodes are numbered from 1; ' +
                                'ranks, switches and ports are numbered from 0.')),
    ];
}

const documents = JSON.parse(document.getElementById('data').textContent).runs;
const runs = documents.map((data, i) => makeRun(data, i, documents.length));

alignColours(runs);
document.body.append(...page(runs, sharedScales(runs)));
watchPrint();
