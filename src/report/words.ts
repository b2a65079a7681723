import { STATUS_CODES } from 'node:http';
import { count, durationText } from '../output/progress.js';
import type { LeftOut, ReadSummary } from './read-logs.js';
import type { Report } from './report.js';

/** `0.42 ms`, `12.7 ms`, `5.01 s`, `2 min 5 s`; `–` for none. */
export function msText(ms: number | null): string {
  if (ms === null) return '–';
  const rounded = Number(ms.toPrecision(3));
  if (rounded < 1_000) return `${rounded} ms`;
  if (rounded < 60_000) return `${Number((ms / 1_000).toPrecision(3))} s`;
  return durationText(ms / 1_000);
}

/** `2.4 s`, `12 min 4 s`. */
export function spanText(seconds: number): string {
  return seconds < 10 ? `${Number(seconds.toPrecision(2))} s` : durationText(seconds);
}

/** `98.4 %`. Only all is 100 %, and only nothing is 0 %. */
export function percentText(share: number): string {
  if (share > 0 && share < 0.001) return '<0.1 %';
  if (share < 1 && share > 0.999) return '>99.9 %';
  return `${(share * 100).toFixed(share === 1 || share === 0 ? 0 : 1)} %`;
}

/** `503 Service Unavailable`. */
export function statusText(status: number | null): string {
  if (status === null) return 'others';
  const reason = STATUS_CODES[status];
  return reason === undefined ? String(status) : `${status} ${reason}`;
}

/** The main number and its meaning: `98.4 %`, `delivered: 984 deliveries for …`. */
export function headline(report: Report): { number: string; text: string } {
  const { verdicts, firstTries: firstAttempts, deliveredShare, attempts } = report;
  if (deliveredShare === null) {
    return {
      number: count(verdicts.delivered),
      text: `delivered, in ${countText(attempts, 'attempt', 'attempts')}`,
    };
  }
  const text = `delivered: ${countText(verdicts.delivered, 'delivery', 'deliveries')} for ${countText(firstAttempts, 'first attempt', 'first attempts')}`;
  return { number: percentText(deliveredShare), text };
}

/** `1 line`, `2 lines`. */
export function countText(value: number, one: string, several: string): string {
  return `${count(value)} ${value === 1 ? one : several}`;
}

/** `2026-11-20 10:01:28 to 10:13:32 UTC, 12 min 4 s`. */
export function timeText({ from, to, seconds }: Report): string {
  const [start, end] = [from, to].map((iso) => iso.slice(0, -5).replace('T', ' '));
  const isOneDay = from.slice(0, -14) === to.slice(0, -14);
  return `${start!} to ${isOneDay ? end!.slice(-8) : end!} UTC, ${spanText(seconds)}`;
}

/** `14.7/s`; `–` if the time span is 0. */
export function rateText(perSecond: number | null): string {
  return perSecond === null ? '–' : `${count(perSecond)}/s`;
}

/** One sentence per kind of lines that are not counted. */
export function leftOutTexts({ broken, other }: ReadSummary): string[] {
  return [leftOutText(broken, 'broken'), leftOutText(other, 'not attempts')].filter(
    (text) => text !== undefined,
  );
}

/** One sentence per input that could not be read to its end. */
export function brokenInputTexts({ brokenInputs }: ReadSummary): string[] {
  return brokenInputs.map(
    ({ file, lines, message }) =>
      `${file}: ${message}, after ${countText(lines, 'whole line', 'whole lines')}; fix the file and run again`,
  );
}

function leftOutText({ count: lines, first }: LeftOut, what: string): string | undefined {
  if (first === null) return undefined;
  return `${countText(lines, 'line', 'lines')} left out: ${what}; the first is ${first.file}:${first.line} (${first.message})`;
}
