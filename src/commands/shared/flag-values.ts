import { InvalidArgumentError } from 'commander';
import { durationHint, durationMs } from '../../config/duration.js';
import { UsageError } from '../../errors.js';
import { quoted } from '../../quoted.js';
import { perSecond, rateHint } from '../../rate.js';
import { collect } from './collect.js';

export { collect };

/** The error for an invalid value; quotes the value only if it cannot be a secret. */
export function invalidValue(text: string, reason: string): InvalidArgumentError {
  return new InvalidArgumentError(`${quoted(text, 'the value')} ${reason}.`);
}

/** `300ms`, `5s`, `2m`, `4h`, `1d` → milliseconds. A bare number is refused: its unit is unknown. */
export function parseDuration(text: string): number {
  const value = durationMs(text);
  if (value !== undefined) return value;
  if (/^\d+(\.\d+)?$/.test(text)) {
    throw invalidValue(text, `has no unit; use ${text}s or ${text}ms`);
  }
  throw invalidValue(text, `is not a valid duration; ${durationHint}`);
}

/** The value of `--timeout`. @throws UsageError unless it is more than 0 */
export function parseTimeout(text: string): number {
  const ms = parseDuration(text);
  if (ms > 0) return ms;
  throw new UsageError(`--timeout ${text}: must be more than 0`);
}

/** A whole number from `least` up. */
export function parseWhole(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least) {
      throw invalidValue(text, `is not a whole number of at least ${least}`);
    }
    return value;
  };
}

/** A port to listen on; 0 is any free port. */
export function parsePort(text: string): number {
  const port = parseWhole(0)(text);
  if (port <= 65_535) return port;
  throw invalidValue(text, 'is not a valid port; use one from 0 to 65535');
}

/** Collects a header line. Without quotes, the shell reduces `Name: value` to `Name:`. */
export function collectHeader(line: string, previous: string[] | undefined): string[] {
  if (!line.endsWith(':')) return collect(line, previous);
  throw new InvalidArgumentError("the value is missing; put it in quotes: 'Name: value'.");
}

/** `track,identify` → its parts; `\\,` is a literal comma. */
export function parseList(text: string): string[] {
  const parts = text.split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ',').trim());
  return parts.filter((part) => part !== '');
}

/** Collects the parts of a repeatable list flag, of which each has at least one. */
export function collectList(text: string, previous: string[] | undefined): string[] {
  const parts = parseList(text);
  if (parts.length === 0) throw invalidValue(text, 'is an empty list; fill it, or leave it out');
  return [...(previous ?? []), ...parts];
}

/** `500/s`, `90/m`, `1000/h` → events per second; a bare number is a second's. */
export function parseRate(text: string): number {
  const rate = perSecond(text);
  if (rate !== undefined) return rate;
  throw invalidValue(text, `is not a valid rate; ${rateHint}`);
}
