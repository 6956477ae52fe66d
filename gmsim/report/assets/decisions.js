// SPDX-License-Identifier: BSD-3-Clause
// Shows requests for bandwidth, their grants, their denials with the reasons, and faults.

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

// Shows a table of all rows, or of the rows of one kind.
function decisionsTable(rows, holder, kind, isWhole)
{
    const wanted = rows.filter((one) => kind === '' || one.kind === kind);
    const shown = isWhole ? wanted : wanted.slice(0, DECISIONS_AT_FIRST);

    holder.replaceChildren(
        table('Decisions and events', [['Time', true], ['Kind'], ['Description']],
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
        return empty('The program of this run requested no bandwidth, and nothing failed.');
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
