// SPDX-License-Identifier: BSD-3-Clause
// Computes scales and their ticks.

// Returns round steps (1, 2, 5 times a power of ten) from `from` to `to`, about `count` of them.
function linearTicks(from, to, count)
{
    const rough = (to - from) / Math.max(1, count);

    if (!(rough > 0)) {
        return [from];
    }
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) * power;
    const ticks = [];

    for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i++) {
        ticks.push(i * step + 0); // converts -0 to 0
    }
    return ticks;
}

// Returns the end of a scale that starts at 0, includes `value` and ends with a tick.
function roundUp(value, count)
{
    if (!(value > 0)) {
        return 1;
    }
    const ticks = linearTicks(0, value, count);
    const last = ticks[ticks.length - 1];

    return last >= value * 0.9999 ? last : last + (ticks[1] || value);
}

function powersOfTen(from, to)
{
    const ticks = [];

    for (let power = Math.ceil(Math.log10(from) - 1e-9);
         power <= Math.log10(to) + 1e-9; power++) {
        ticks.push(10 ** power);
    }
    return ticks;
}

// Returns ticks at 1, 2, 5 times powers of ten, if there is room for them.
function logTicks(from, to, width)
{
    const decade = width / Math.log10(to / from);
    const factors = decade > 230 ? [1, 2, 5] : [1];

    return powersOfTen(from / 10, to).flatMap((power) => factors.map((one) => one * power))
        .filter((tick) => tick >= from && tick <= to);
}

function linearScale(from, to, start, end)
{
    const scale = (value) => start + (value - from) / (to - from || 1) * (end - start);

    scale.back = (place) => from + (place - start) / (end - start || 1) * (to - from);
    return scale;
}

function logScale(from, to, start, end)
{
    const inner = linearScale(Math.log10(from), Math.log10(to), start, end);

    return (value) => inner(Math.log10(value));
}

// The ticks of one axis share the unit of the largest tick.
function tickText(units, ticks)
{
    const largest = Math.max(...ticks.map(Math.abs));
    const [factor, name] = unitFor(units, largest);
    const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) / factor : 1;
    const decimals = Math.min(9, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));

    return {
        unit: name,
        text: (value) => (value / factor).toLocaleString('en', {
            minimumFractionDigits: decimals, maximumFractionDigits: decimals}),
    };
}
