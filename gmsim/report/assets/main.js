// SPDX-License-Identifier: BSD-3-Clause
// The page: sections in their order.

function whySentences()
{
    return {
        rates: 'How fast each flow\'s bytes moved; a dashed line is what was reserved for it. ' +
            'Drag over a piece to zoom, or use the keys: arrows move the cursor, + and − zoom, ' +
            'Home shows the whole run.',
        decisions: 'Each request for bandwidth, what came of it and why; faults and stalled ' +
            'flows, too.',
        network: 'How busy each link and each card was; thick and strong is more. A cable is two ' +
            'links, side by side, one for each direction. Choose a link or a node to see its ' +
            'flows.',
        stations: 'The mean time of a packet from the program\'s call to the data in the ' +
            'target\'s memory, cut where it was spent; the longest first.',
        latency: 'How long packets took, each flow on the same logarithmic scale; the wider the ' +
            'shape, the more packets took that long.',
        matrix: 'How many bytes each rank sent to each other rank.',
        setup: 'What is needed to get this run again: the same run gives the same numbers.',
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
        ['decisions', 'Who asked, who was granted, who was denied', decisionsFigure],
        ['network', 'The network', networkFigure],
        ['stations', 'Where the time goes', stationsFigure],
        ['latency', 'Latencies', latencyFigure],
        ['matrix', 'Rank to rank', matrixFigure],
        ['setup', 'What ran', setupFigure],
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
                                ' bytes of payload per second. Nodes count from 1, ranks, ' +
                                'switches and ports from 0.')),
    ];
}

const documents = JSON.parse(document.getElementById('data').textContent).runs;
const runs = documents.map((data, i) => makeRun(data, i, documents.length));

alignColours(runs);
document.body.append(...page(runs, sharedScales(runs)));
watchPrint();
