// SPDX-License-Identifier: BSD-3-Clause
// Builds the top of the page: the program, its run time, whether the record is complete,
// and the findings.

function fact(name, value)
{
    return value ? html('div', {}, html('dt', {}, name), html('dd', {}, named(value))) : null;
}

function facts(run)
{
    const data = run.data;
    const cluster = data.cluster || {};
    const nodes = list(data.topology && data.topology.nodes).length;
    const switches = list(data.topology && data.topology.switches).length;

    return html('dl', {class: 'facts'},
                fact('Program', text(data.program)),
                fact('Ranks', list(data.ranks).length ? formatCount(list(data.ranks).length) : ''),
                fact('Cluster', text(cluster.description).replace(/.*\//, '') || 'default'),
                fact('Network', nodes ? plural(nodes, 'node', 'nodes') + ', ' +
                                            plural(switches, 'switch', 'switches') : ''),
                fact('Virtual run time', formatTime(run.endPs)),
                fact('Reservations', reservationCount(run)));
}

function reservationCount(run)
{
    const decisions = list(run.data.decisions);
    const count = (kind) => decisions.filter((one) => one.kind === kind).length;

    return decisions.length === 0 ? 'none requested'
                                  : count('grant') + ' granted, ' + count('denial') + ' denied';
}

function incompleteBanner(run)
{
    if (isComplete(run)) {
        return null;
    }
    return html('p', {class: 'banner', role: 'status'},
                html('strong', {}, 'Incomplete. '),
                (text(run.data.failed)
                    ? 'The record could not be written completely (' + text(run.data.failed) + '). '
                    : 'The run was killed, or its last writes were lost. ') +
                'The page shows the data that were written, up to ' +
                formatTime(run.endPs) + '.');
}

// Returns the figure that a finding refers to, and the element to highlight in this figure.
function findingTarget(run, finding)
{
    if (isNumber(finding.link)) {
        return ['network', {run, link: finding.link}];
    }
    if (isNumber(finding.node)) {
        return ['network', {run, node: finding.node}];
    }
    if (isNumber(finding.flow)) {
        return ['rates', {run, flow: finding.flow}];
    }
    return null;
}

function findingItem(run, finding)
{
    const target = findingTarget(run, finding);

    if (target === null) {
        return html('li', {}, named(text(finding.text)));
    }
    return html('li', {}, html('a', {
        href: '#' + target[0], dir: 'auto', onclick: () => choose(target[1]),
    }, text(finding.text)));
}

function findings(run)
{
    const found = [...list(run.data.findings)]
        .sort((a, b) => number(b.weight) - number(a.weight));

    return found.length === 0
        ? empty(isComplete(run) ? 'There are no findings.'
                                : 'There are no findings in the part that was written.')
        : html('ol', {class: 'findings'}, found.map((finding) => findingItem(run, finding)));
}

function themeChoice()
{
    const root = document.documentElement;

    return choice('Colours', [['', 'System'], ['light', 'Light'], ['dark', 'Dark']], '',
                  (theme) => {
                      if (theme) {
                          root.dataset.theme = theme;
                      } else {
                          delete root.dataset.theme;
                      }
                  });
}

function header(runs)
{
    return html('header', {class: 'top'},
                html('h1', {dir: 'auto'}, runs.length > 1
                    ? 'Two runs side by side' : text(runs[0].data.title) || 'A run'),
                themeChoice());
}

function summarySection(runs)
{
    return section('summary', 'Findings', 'The most important finding is first. Each finding ' +
                   'links to the figure that shows it.', runs, (run) =>
        [incompleteBanner(run), facts(run), findings(run)]);
}
