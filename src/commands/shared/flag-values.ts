import { InvalidArgumentError } from 'commander';
import { durationHint, durationMs } from '../../config/duration.js';
import { quoted } from '../../quoted.js';

/** The error of a value that cannot be used; it shows the value only where that cannot be a secret. */
export function invalidValue(text: string, reason: string): InvalidArgumentError {
  return new InvalidArgumentError(`${quoted(text, 'the value')} ${reason}.`);
}

/** `300ms`, `5s`, `2m`, `4h`, `1d` → milliseconds. A bare number is refused: its unit is anyone's guess. */
export function parseDuration(text: string): number {
  const value = durationMs(text);
  if (value !== undefined) return value;
  throw invalidValue(text, `is not a duration; ${durationHint}`);
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

/** A port to listen on; 0 is any that is free. */
export function parsePort(text: string): number {
  const port = parseWhole(0)(text);
  if (port <= 65_535) return port;
  throw invalidValue(text, 'is no port; give one from 0 to 65535');
}

/** Collects a repeatable flag. */
export function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/** Collects a header line; `Name:` alone is what the shell leaves of `Name: value` without quotes. */
export function collectHeader(line: string, previous: string[] | undefined): string[] {
  if (!line.endsWith(':')) return collect(line, previous);
  throw new InvalidArgumentError("the value is missing; write it in quotes, 'Name: value'.");
}

/** `track,identify` → its parts; `\\,` is a comma. */
export function parseList(text: string): string[] {
  const parts = text.split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ',').trim());
  return parts.filter((part) => part !== '');
}

/** Collects the parts of a flag that takes a list and may be repeated. */
export function collectList(text: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), ...parseList(text)];
}

/** `500/s`, `90/m`, `1000/h` → events a second. */
export function parseRate(text: string): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)\/([smh])$/.exec(text) ?? [];
  const perSecond = Number(count) / unitSeconds[unit as keyof typeof unitSeconds];
  if (perSecond > 0) return perSecond;
  throw invalidValue(text, 'is not a rate; write it with a unit, like 500/s or 90/m');
}

const unitSeconds = { s: 1, m: 60, h: 3600 };
