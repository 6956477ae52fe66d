// SPDX-License-Identifier: BSD-3-Clause
// Shows where the packets of a message spend their time, as a bar of parts for each flow.

function stationsBar(run, flow, isShare, most)
{
    const total = packetTime(flow);
    const bar = html('span', {class: 'bar', 'aria-hidden': 'true'});

    for (const [key, name] of partsOf(run)) {
        const mean = number(flow.times[key]) / flow.times.packets;

        if (mean > 0) {
            const part = html('span', {
                class: 'part ' + key.replace(/_ps$/, ''),
                title: `${name}: ${formatTime(mean)}, ${formatShare(mean / total)}`,
            });

            part.style.width = 100 * mean / (isShare ? total : most) + '%';
            bar.append(part);
        }
    }
    return bar;
}

// A host counts as busy from this part on.
const BUSY_HOST = 0.5;

function stationsWords(run, flow)
{
    const host = run.hostByRank.get(flow.target_rank);
    const total = packetTime(flow);
    const [key, name] = partsOf(run).reduce((best, part) =>
        number(flow.times[part[0]]) > number(flow.times[best[0]]) ? part : best);

    return [html('strong', {}, formatTime(total)),
            ', most of it: ' + name.replace(/ \(.*/, '') + ' ' +
                formatShare(number(flow.times[key]) / flow.times.packets / total),
            host && host.worked >= BUSY_HOST
                ? `; the host of rank ${host.rank} was busy for ` +
                    formatShare(host.worked) + ' of the run' : ''];
}

function stationsTable(run, flows)
{
    const parts = partsOf(run);

    return table('Mean time of a packet, by part of its path',
                 [['Flow'], ['Packets', true], ['Sum', true],
                  ...parts.map(([, name]) => [name, true])],
                 flows.map((flow) => [
                     html('span', {dir: 'auto'}, flowTitle(flow)),
                     formatCount(flow.times.packets), formatTime(packetTime(flow)),
                     ...parts.map(([key]) =>
                         formatTime(number(flow.times[key]) / flow.times.packets)),
                 ]));
}

function stationsFigure(run, shared)
{
    const flows = run.flows.filter((flow) => packetTime(flow) > 0)
        .sort((a, b) => packetTime(b) - packetTime(a));

    if (flows.length === 0) {
        return empty(isComplete(run) ? 'No packet arrived in this run.' : UNKNOWN_FLOWS);
    }
    const holder = html('div', {});
    let isShare = false;
    const draw = () => flowRows(run, holder, flows, (flow) =>
        [stationsBar(run, flow, isShare, shared.packetPs), stationsWords(run, flow)]);

    draw();
    onChoose(draw);
    return html('div', {class: 'figure'},
        html('div', {class: 'controls'}, choice('Scale',
            [[false, 'time'], [true, '100 %']], isShare, (value) => {
                isShare = value;
                draw();
            })),
        html('p', {class: 'key'}, partsOf(run).filter(([key]) => flows.some((flow) =>
            number(flow.times[key]) > 0)).map(([key, name]) =>
            html('span', {}, html('span', {class: 'chip part ' + key.replace(/_ps$/, '')}), name))),
        holder, tableBelow(() => stationsTable(run, flows)));
}
