import { STATUS_CODES } from 'node:http';
import { shellWord } from '../output/shell.js';
import { count, countOf, durationText, percentText } from '../output/numbers.js';
import { printable } from '../output/printable.js';
import type { FailedDelivery } from './failed-deliveries.js';
import type { LeftOut, ReadSummary } from './read-logs.js';
import type { Report } from './report.js';

/** `2.4 s`, `12 min 4 s`. */
export function spanText(seconds: number): string {
  return seconds < 10 ? `${Number(seconds.toPrecision(2))} s` : durationText(seconds);
}

/** `503 Service Unavailable`. */
export function statusText(status: number | null): string {
  if (status === null) return 'others';
  const reason = STATUS_CODES[status];
  return reason === undefined ? String(status) : `${status} ${reason}`;
}

/** The main number and its meaning: `98.4%`, `delivered: 984 deliveries for …`. */
export function headline(report: Report): { number: string; text: string } {
  const { verdicts, firstTries: firstAttempts, deliveredShare, attempts } = report;
  if (deliveredShare === null) {
    return {
      number: count(verdicts.delivered),
      text: `delivered, in ${countOf(attempts, 'attempt')}`,
    };
  }
  const text = `delivered: ${countOf(verdicts.delivered, 'delivery', 'deliveries')} for ${countOf(firstAttempts, 'first attempt')}`;
  return { number: percentText(deliveredShare), text };
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
      `${file}: ${message}, after ${countOf(lines, 'whole line')}; fix the file and run again`,
  );
}

function leftOutText({ count: lines, first }: LeftOut, what: string): string | undefined {
  if (first === null) return undefined;
  return `${countOf(lines, 'line')} left out: ${what}; the first is ${first.file}:${first.line} (${first.message})`;
}

/** `422 Unprocessable Entity`, `timeout`. */
export function resultText({ status, error }: FailedDelivery): string {
  return status === null ? (error ?? '') : statusText(status);
}

/**
 * How to send failed events again. The log has no query of a URL.
 *
 * @param file the dead-letter file, where it is known: the log does not name it
 */
export function resendCommand({ failedDeliveries }: Report, file?: string): string {
  const urls = [...new Set(failedDeliveries.map(({ url }) => url))];
  const shown = urls.slice(0, maxUrlsOfCommand).map((url) => `--url ${shellWord(printable(url))}`);
  return [`evfwd import ${file === undefined ? placeholder : shellWord(file)}`, ...shown].join(' ');
}

const placeholder = 'DEAD_LETTER_FILE';

/** As many as an import accepts. */
const maxUrlsOfCommand = 5;

export const deadLetterHint =
  'DEAD_LETTER_FILE is the file that the import named at its end, by default .evfwd/<name>.dead-letter.ndjson; add the secret and other flags of the import.';
