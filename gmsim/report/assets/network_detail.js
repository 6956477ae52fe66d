// SPDX-License-Identifier: BSD-3-Clause
// Shows details of a selected link, node, switch or flow, and tables of all links and NICs.

const BUSIEST = 5;

function linkButton(view, link)
{
    return html('li', {}, html('button', {
        type: 'button', class: 'plain', dir: 'auto',
        onclick: () => choose({run: view.run, link: link.link}),
    }, linkName(view.run, link)), ' ', view.words(link));
}

function busiestLinks(view, links, count)
{
    const found = [...links].sort((a, b) => view.share(b) - view.share(a))
        .filter((link) => view.share(link) > 0).slice(0, count);

    return found.length === 0 ? empty('No link reaches 0.01 % of the run.')
        : html('ul', {class: 'links-list'}, found.map((link) => linkButton(view, link)));
}

function networkPanel(view, what)
{
    const run = view.run;

    if (what !== null && run.linkByNumber.has(what.link)) {
        return linkPanel(view, run.linkByNumber.get(what.link));
    }
    if (what !== null && isNumber(what.node)) {
        return nodePanel(view, what.node);
    }
    if (what !== null && isNumber(what.switch)) {
        return [html('h3', {}, 'Switch ' + what.switch), html('p', {}, 'Its links:'),
                busiestLinks(view, run.links.filter((link) => isLinkMeant(link, what)), 16)];
    }
    if (what !== null && isNumber(what.flow)) {
        return [html('h3', {dir: 'auto'}, flowName(run, what.flow)), html('p', {}, 'Its links:'),
                busiestLinks(view, run.links.filter((link) => isLinkMeant(link, what)), 16)];
    }
    return [html('h3', {}, view.measure.most),
            busiestLinks(view, run.links, BUSIEST)];
}

function linkPanel(view, link)
{
    const flows = [...list(link.flows)].sort((a, b) =>
        number(b.blocked_ps) - number(a.blocked_ps) || number(b.bytes) - number(a.bytes));
    const shown = flows.slice(0, 12);

    return [
        html('h3', {dir: 'auto'}, linkName(view.run, link)),
        html('p', {}, `Busy for ${formatShare(number(link.utilisation))} of the run, saturated ` +
            `for ${formatShare(number(link.saturated))}` + (isNumber(link.held)
                ? `, held by packets, moving or not, for ${formatShare(link.held)}` : '') +
            (number(link.bytes) > 0 ? `; it carried ${formatBytes(link.bytes)}` : '') +
            `. Packets were blocked before it for ${formatTime(number(link.blocked_ps))} ` +
            'in total.'),
        shown.length > 0
            ? table('Flows on this link' + (shown.length < flows.length
                ? `, the first ${shown.length} of ${formatCount(flows.length)}` : ''),
                    [['Flow'], ['Bytes', true], ['Blocked', true], ['Lost', true]],
                    shown.map((one) => linkFlowRow(view.run, one)))
            : empty(isComplete(view.run) ? 'No flow used this link.' : UNKNOWN_FLOWS),
        flows.some((one) => number(one.lost_bytes_s) > 0)
            ? html('p', {class: 'why'}, LOST_WORDS) : null,
    ].filter(Boolean);
}

const LOST_WORDS = 'The lost bandwidth is estimated from the time for which packets waited. The ' +
    'smaller value assumes that the program pauses as long as in this run. The larger value ' +
    'assumes that the program does not pause. For streams, the estimate is usually within a ' +
    'sixth of the bandwidth that they had without the other flows. The estimate does not ' +
    'include losses caused by a busy host or NIC.';

function linkFlowRow(run, one)
{
    const name = text(one.name) || flowName(run, one.flow);

    return [run.flowByNumber.has(one.flow)
        ? html('button', {type: 'button', class: 'plain', dir: 'auto',
                          onclick: () => choose({run, flow: one.flow})}, name)
        : html('span', {dir: 'auto'}, name),
            formatBytes(number(one.bytes)), formatTime(number(one.blocked_ps)),
            lostWords(number(one.lost_least_bytes_s), number(one.lost_bytes_s))];
}

// Formats the range from the smallest to the largest possible loss.
function lostWords(least, most)
{
    return most === 0 ? '–'
        : least > 0.9 * most ? 'about ' + formatRate(most)
        : least < 0.02 * most ? 'up to ' + formatRate(most)
        : formatRate(least) + ' to ' + formatRate(most);
}

function nodePanel(view, node)
{
    const run = view.run;
    const card = run.cardByNode.get(node);
    const data = list(run.data.topology.nodes).find((one) => one.node === node) || {};
    const ranks = list(data.ranks);

    return [
        html('h3', {}, 'Node ' + node),
        html('p', {}, ranks.length === 0 ? 'No rank ran on this node.'
            : (ranks.length === 1 ? 'Rank ' : 'Ranks ') + ranks.join(', ') +
              ' ran on this node.'),
        hostMeters(run, ranks),
        card ? html('ul', {class: 'meters'}, cardParts(run).map(([key, name]) =>
            meter(name, number(card[key])))) : null,
        card && !run.isHca && list(card.lanai_series).length > 1 ? heatStrip(run, card) : null,
        html('p', {}, 'Its links:'),
        busiestLinks(view, run.links.filter((link) => isLinkMeant(link, {node})), 8),
    ].filter(Boolean);
}

// Shows the activity of the ranks' processors; in the remaining time the ranks waited.
function hostMeters(run, ranks)
{
    const hosts = ranks.map((rank) => run.hostByRank.get(rank)).filter(Boolean);

    return hosts.length === 0 ? null : html('ul', {class: 'meters'}, hosts.map((host) => [
        meter(`rank ${host.rank}: messages`, number(host.worked)),
        number(host.computed) > 0
            ? meter(`rank ${host.rank}: computing`, number(host.computed)) : null]));
}

function meter(name, share)
{
    const inner = html('span', {class: 'meter-inner heat-' + heatStep(share)});

    inner.style.width = Math.min(100, share * 100) + '%';
    return html('li', {}, html('span', {class: 'meter-name'}, name),
                html('span', {class: 'meter', 'aria-hidden': 'true'}, inner),
                html('span', {class: 'value'}, formatShare(share)));
}

// Shows how busy the LANai was during the run.
function heatStrip(run, card)
{
    const pieces = joinBuckets(run.times, card.lanai_series, 0, run.endPs, 120);
    const strip = svg('svg', {class: 'strip', viewBox: '0 0 1000 16', preserveAspectRatio: 'none',
                              'aria-hidden': 'true'}, pieces.map(([from, to, share]) =>
        svg('rect', {class: 'heat-' + heatStep(share), x: 1000 * from / run.endPs, y: 0,
                     width: 1000 * (to - from) / run.endPs + 0.5, height: 16})));

    return html('p', {class: 'strip-line'}, 'LANai over the run: ', strip);
}

function linksTable(run)
{
    const used = run.links.filter((link) => number(link.bytes) > 0 ||
        number(link.blocked_ps) > 0 || number(link.utilisation) > 0);
    const rows = [...used].sort((a, b) => number(b.utilisation) - number(a.utilisation));
    const unused = run.links.length - used.length;

    return table('Links' + (unused > 0 ? `; ${formatCount(unused)} others carried nothing` : ''),
                 [['Link'], ['Busy', true], ['Saturated', true], ['Blocked', true],
                  ['Bytes', true]],
                 rows.map((link) => [html('span', {dir: 'auto'}, linkName(run, link)),
                     formatShare(number(link.utilisation)), formatShare(number(link.saturated)),
                     formatTime(number(link.blocked_ps)), formatBytes(number(link.bytes))]));
}

function cardsBelow(run)
{
    const cards = list(run.data.cards);

    if (cards.length === 0) {
        return null;
    }
    const element = html('details', {class: 'below', ontoggle: () => {
        if (element.open && element.children.length === 1) {
            element.append(table('NICs, busy parts of the run',
                [['Node', true], ...cardParts(run).map(([, name]) => [name, true])],
                cards.map((card) => [
                    String(card.node),
                    ...cardParts(run).map(([key]) => formatShare(number(card[key])))])));
        }
    }}, html('summary', {}, 'Show the NICs as a table'));

    return element;
}
