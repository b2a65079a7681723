import pino, { type Logger } from 'pino';
import { printable } from '../../output/printable.js';
import type { Io } from '../shared/command.js';
import type { OutputFlags } from '../flags/output.js';

/** Logs as text on standard error, or as JSON lines on standard output with `--json`. */
export function serveLog(flags: OutputFlags, io: Io): Logger {
  const level = flags.quiet ? 'error' : flags.verbose ? 'debug' : 'info';
  const options: pino.LoggerOptions = {
    level,
    base: { type: 'log' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  };
  if (flags.json) return pino(options, io.stdout);
  return pino(options, {
    write: (line) => void io.stderr.write(`${textOf(JSON.parse(line) as Line)}\n`),
  });
}

interface Line extends Readonly<Record<string, unknown>> {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
}

/** `2026-11-20T12:00:00.000Z warn  endpoint is down (destination=crm url=https://…)` */
function textOf({ level, time, msg, ...fields }: Line): string {
  const shown = Object.entries(fields).filter(([name]) => name !== 'type');
  const pairs = shown.map(([name, value]) => `${name}=${valueText(value)}`);
  const rest = pairs.length > 0 ? ` (${pairs.join(' ')})` : '';
  return printable(`${time} ${level.padEnd(5)} ${msg}${rest}`);
}

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /\s/.test(text) ? JSON.stringify(text) : text;
}
