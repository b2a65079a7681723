import { InvalidArgumentError, type Command } from 'commander';
import { durationMs } from '../../config/duration.js';
import { parseSpeed } from '../../delivery/replay-clock.js';
import { timestampMs } from '../../events/timestamp.js';
import type { MaxFailures } from '../../importer/stop-rule.js';
import { invalidValue } from './flag-values.js';

/** A time as it was typed, which may be relative (`36h`), and in milliseconds since 1970. */
export interface GivenTime {
  readonly text: string;
  readonly at: number;
}

const dayForm = /^\d{4}-\d{2}-\d{2}$/;

/** A time in milliseconds since 1970; a day alone is its midnight in UTC. */
export function parseTime(text: string): GivenTime {
  const ago = durationMs(text);
  if (ago !== undefined) return { text, at: Date.now() - ago };
  const at = timestampMs(dayForm.test(text) ? `${text}T00:00:00Z` : text);
  if (at !== undefined) return { text, at };
  throw invalidValue(
    text,
    'is not a valid time; use 2026-10-01, 2026-10-01T08:00:00Z, or a duration before now such as 36h',
  );
}

/** The flags of each run that has a state. `items`: what it sends. */
export function addRunFlags(command: Command, items: 'events' | 'requests'): Command {
  return command
    .option('--state-dir <dir>', 'directory for resume state (default: .evfwd)')
    .option('--fresh', 'discard the state of earlier runs and start over')
    .option(
      '--dead-letter <file>',
      `file for rejected and failed ${items} (default: in the state directory)`,
    )
    .option('--log <file>', 'write one line per attempt')
    .option(
      '--max-failures <n>',
      'exit 0 if there are no more than n failures, e.g. 10 or 1%',
      parseMaxFailures,
    )
    .option(
      '--stop-after <n>',
      `stop after more than n failures, e.g. 100 or 5% (default: if the first 1,000 ${items} all fail)`,
      parseMaxFailures,
    );
}

/** `10` or `1%`. */
function parseMaxFailures(text: string): MaxFailures {
  if (/^\d+$/.test(text)) return { events: Number(text) };
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (percent !== undefined && Number(percent) <= 100) return { share: Number(percent) / 100 };
  throw invalidValue(text, 'must be a number of events or a percentage, e.g. 10 or 1%');
}

/** `1x`, `10x`, `max`. */
export function parseSpeedFlag(text: string): number {
  try {
    return parseSpeed(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
