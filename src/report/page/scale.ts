/** A labeled position on an axis; `at` is its share of the axis, 0 to 1. */
export interface Tick {
  readonly at: number;
  readonly label: string;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Steps between the ticks of a time axis, in milliseconds. */
const timeSteps = [
  ...[10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((days) => days * dayMs),
];

/** The end of an axis that begins at 0, and its ticks: 3 to 5 steps of 1, 2 or 5. */
export function linearAxis(most: number, unit = ''): { end: number; ticks: Tick[] } {
  const step = niceStep(Math.max(most, Number.MIN_VALUE) / 4);
  const steps = Math.max(1, Math.ceil(most / step - 1e-9));
  const ticks = Array.from({ length: steps + 1 }, (_, i) => ({
    at: i / steps,
    label: shortNumber(Number((i * step).toPrecision(6))) + unit,
  }));
  return { end: steps * step, ticks };
}

function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= least * 0.999999) ?? 10);
}

/** `850`, `1.2k`, `3M`. */
function shortNumber(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  return value >= 1e4 ? `${Number((value / 1e3).toPrecision(3))}k` : value.toLocaleString('en-US');
}

/** The position of a duration on a logarithmic axis, 0 to 1. */
export function logPosition(ms: number, fromMs: number, toMs: number): number {
  return (Math.log(ms) - Math.log(fromMs)) / (Math.log(toMs) - Math.log(fromMs));
}

/** Ticks at 1, 2 and 5 of every power of ten if there is room, otherwise at fewer. */
export function logTicks(fromMs: number, toMs: number): Tick[] {
  for (const factors of [[1, 2, 5], [1, 3], [1]]) {
    const ticks = ticksAt(factors, fromMs, toMs);
    if (ticks.length <= 7 || factors.length === 1) return ticks;
  }
  return [];
}

function ticksAt(factors: readonly number[], fromMs: number, toMs: number): Tick[] {
  const ticks: Tick[] = [];
  for (let power = Math.floor(Math.log10(fromMs)); 10 ** power <= toMs; power++) {
    for (const factor of factors) {
      const ms = Number(`${factor}e${power}`);
      if (ms < fromMs || ms > toMs) continue;
      ticks.push({ at: logPosition(ms, fromMs, toMs), label: axisText(ms) });
    }
  }
  return ticks;
}

/** `200 ms`, `100 s`: one unit per label, unlike `1 min 40 s` in texts. */
function axisText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toLocaleString('en-US')} s`;
}

/** Ticks of a time axis in UTC, `most` steps or fewer; the first of a day is its date. */
export function timeTicks(from: number, to: number, most: number): Tick[] {
  const span = to - from;
  const step =
    timeSteps.find((candidate) => span / candidate <= most) ??
    364 * dayMs * Math.ceil(span / (most * 364 * dayMs));
  const ticks: Tick[] = [];
  for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
    ticks.push({ at: (time - from) / span, label: timeLabel(time, step) });
  }
  return ticks;
}

function timeLabel(time: number, step: number): string {
  const iso = new Date(time).toISOString();
  if (time % dayMs === 0 || step >= dayMs)
    return step > 91 * dayMs ? iso.slice(0, 7) : dayText(time);
  const clock = iso.slice(-13, -1);
  if (step >= minuteMs) return clock.slice(0, 5);
  return step >= 1_000 ? clock.slice(0, 8) : clock.replace(/\.?0+$/, '');
}

function dayText(time: number): string {
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  }).format(time);
}
