// SPDX-License-Identifier: BSD-3-Clause
// Defines the scale of heat maps. Step 0 means no activity, and the last step means the maximum.

const HEAT_STEPS = 10;

function heatStep(share)
{
    return share > 0 ? Math.min(HEAT_STEPS - 1, 1 + Math.floor(share * (HEAT_STEPS - 1) * 0.9999))
                     : 0;
}

function heatKey(from, to)
{
    return html('p', {class: 'key'}, html('span', {}, from),
        html('span', {class: 'scale'}, Array.from({length: HEAT_STEPS - 1}, (_, i) =>
            html('span', {class: 'chip heat-' + (i + 1)}))),
        html('span', {}, to));
}
