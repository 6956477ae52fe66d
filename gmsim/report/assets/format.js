// SPDX-License-Identifier: BSD-3-Clause
// Formats numbers for people: three significant digits and a unit.

const NBSP = '\u00a0';

const RATE_UNITS = [[1, 'B/s'], [1e3, 'kB/s'], [1e6, 'MB/s'], [1e9, 'GB/s']];
const BYTE_UNITS = [[1, 'B'], [1e3, 'kB'], [1e6, 'MB'], [1e9, 'GB'], [1e12, 'TB']];
const TIME_UNITS = [[1, 'ps'], [1e3, 'ns'], [1e6, 'µs'], [1e9, 'ms'], [1e12, 's']];

function isNumber(value)
{
    return typeof value === 'number' && Number.isFinite(value);
}

// Returns the largest unit in which the value is at least 1.
function unitFor(units, value)
{
    const size = Number(Math.abs(value).toPrecision(3));
    let chosen = units[0];

    for (const unit of units) {
        if (size >= unit[0]) {
            chosen = unit;
        }
    }
    return chosen;
}

// Formats a number with 3 digits, never with an exponent: 40.0, 812, 0.0123, 12,300
function digits3(value)
{
    if (!isNumber(value)) {
        return '–';
    }
    if (value === 0) {
        return '0';
    }
    const rounded = Number(value.toPrecision(3));
    const whole = Math.floor(Math.log10(Math.abs(rounded))) + 1;
    const decimals = Math.min(12, Math.max(0, 3 - whole));

    return rounded.toLocaleString('en', {
        minimumFractionDigits: decimals,
        maximumFractionDigits: decimals,
    });
}

function inUnits(units, value)
{
    if (!isNumber(value)) {
        return '–';
    }
    const [factor, name] = unitFor(units, value);
    const isWhole = factor === 1 && Number.isInteger(value);

    return (isWhole ? String(value) : digits3(value / factor)) + NBSP + name;
}

// Readers compare rates with each other. Therefore all rates have the unit MB/s (10^6 bytes/s),
// unless most of their digits would be zeros.
function formatRate(bytesPerSecond)
{
    if (isNumber(bytesPerSecond) && Math.abs(bytesPerSecond) >= 1e4 &&
        Math.abs(bytesPerSecond) < 1e9) {
        return digits3(bytesPerSecond / 1e6) + NBSP + 'MB/s';
    }
    return inUnits(RATE_UNITS, bytesPerSecond);
}

function formatBytes(bytes)
{
    return inUnits(BYTE_UNITS, bytes);
}

function formatTime(ps)
{
    return ps === 0 ? '0' + NBSP + 's' : inUnits(TIME_UNITS, ps);
}

function formatShare(share)
{
    if (!isNumber(share)) {
        return '–';
    }
    return (share > 0 && share < 0.001 ? '< 0.1' : digits3(share * 100)) + NBSP + '%';
}

function formatCount(count)
{
    return isNumber(count) ? Math.round(count).toLocaleString('en') : '–';
}

function plural(count, one, many)
{
    return formatCount(count) + NBSP + (count === 1 ? one : many);
}

// Isolates a text for SVG, which has no <bdi>: right-to-left text must not change the direction
// of the text next to it.
function isolate(text)
{
    return '\u2068' + text + '\u2069';
}

function shorten(text, length)
{
    const letters = Array.from(text);

    return letters.length <= length ? text
                                    : letters.slice(0, length - 1).join('') + '…';
}
