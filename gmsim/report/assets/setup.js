// SPDX-License-Identifier: BSD-3-Clause
// Shows the setup: parameters that differ from their defaults, versions, and the command.

// Shows the command that repeats the run, or the reason why there is no command.
function repeatPart(data)
{
    return text(data.command)
        ? html('pre', {class: 'command', tabindex: '0'}, data.command)
        : empty('The record does not contain the whole command.');
}

// Shows a file that the run read, with its content at that time.
function filePart(title, file)
{
    return file && text(file.text)
        ? html('details', {class: 'below'}, html('summary', {}, title + ' ' + text(file.file)),
               html('pre', {tabindex: '0'}, file.text)) : null;
}

function changedTable(cluster)
{
    const changed = list(cluster.changed);
    const show = (value) => (value === null || value === undefined) ? '–' : String(value);

    return changed.length === 0
        ? empty('All parameters have the defaults of the profile.')
        : table('Parameters that differ from their defaults',
                [['Parameter'], ['Value', true], ['Default', true], ['Unit'], ['Meaning']],
                changed.map((one) => [text(one.name), show(one.value),
                                      show(one.default), text(one.unit), text(one.meaning)]));
}

function ranksTable(data)
{
    const hosts = new Map(list(data.hosts).map((host) => [host.rank, host]));
    const share = (rank, key) => hosts.has(rank) ? formatShare(number(hosts.get(rank)[key])) : '–';

    return table('Ranks', [['Rank', true], ['Node', true], ['Port', true],
                           ['Busy with messages', true], ['Computing', true]],
                 list(data.ranks).map((rank) => [
                     ...[rank.rank, rank.node, rank.port].map(String),
                     share(rank.rank, 'worked'), share(rank.rank, 'computed')]));
}

function setupFigure(run)
{
    const data = run.data;
    const cluster = data.cluster || {};

    return [
        html('dl', {class: 'facts'},
             fact('gmqos', text(data.version)), fact('Profile', text(cluster.profile)),
             fact('Seed', isNumber(cluster.seed) ? String(cluster.seed) : ''),
             fact('Cluster description', text(cluster.description) || 'none: the default cluster')),
        changedTable(cluster),
        html('h3', {}, 'Repeat the run'),
        repeatPart(data),
        filePart('The cluster description', cluster.text),
        filePart('The policy', data.policy),
        list(data.ranks).length > 0
            ? html('details', {class: 'below'},
                   html('summary', {}, 'Positions of the ranks, and activity of their hosts'),
                   ranksTable(data)) : null,
    ];
}
