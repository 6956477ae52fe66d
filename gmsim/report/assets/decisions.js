// SPDX-License-Identifier: BSD-3-Clause
// Who asked for bandwidth, who was granted it, who was denied and why; faults.

const DECISIONS_AT_FIRST = 12;

function decisionRows(run)
{
    return ratesMarks(run).map((mark) => ({
        kind: mark.kind,
        row: [formatTime(mark.ps),
              html('span', {class: 'kind ' + mark.kind}, markIcon(mark.kind),
                   MARK_KINDS[mark.kind][0]),
              html('span', {dir: 'auto'}, text(mark.text))],
    }));
}

// All at first; then of one kind.
function decisionsTable(rows, holder, kind, isWhole)
{
    const wanted = rows.filter((one) => kind === '' || one.kind === kind);
    const shown = isWhole ? wanted : wanted.slice(0, DECISIONS_AT_FIRST);

    holder.replaceChildren(
        table('Decisions and events', [['Time', true], ['What'], ['In words']],
              shown.map((one) => one.row)),
        ...(shown.length < wanted.length
            ? [button(`All ${formatCount(wanted.length)}`,
                      () => decisionsTable(rows, holder, kind, true))] : []));
}

function decisionsFigure(run)
{
    const rows = decisionRows(run);
    const kinds = Object.keys(MARK_KINDS).filter((kind) => rows.some((one) => one.kind === kind));

    if (rows.length === 0) {
        return empty('Nobody asked for bandwidth in this run, and nothing failed.');
    }
    const holder = html('div', {});
    const count = (kind) => rows.filter((one) => one.kind === kind).length;

    decisionsTable(rows, holder, '', false);
    return [
        kinds.length > 1 ? html('div', {class: 'controls'}, choice('Show',
            [['', `all (${formatCount(rows.length)})`],
             ...kinds.map((kind) =>
                 [kind, `${MARK_KINDS[kind][0]} (${formatCount(count(kind))})`])],
            '', (kind) => decisionsTable(rows, holder, kind, false))) : null,
        holder,
    ];
}
