import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'vitest';
import { addsUp, summaryOf } from '../helpers/process.js';
import type { CliResult } from '../helpers/cli.js';
import type { Summary } from '../../src/ledger/summary.js';
import { isInvalid, type EventFiles } from './event-files.js';
import type { Fleet } from './fleet.js';
import type { CountingReceiver } from './receiver.js';

/** How a run is to end. */
export interface Expected {
  readonly files: EventFiles;
  /** Whether all lines are events. */
  readonly isClean?: boolean;
  /** Events that the receiver refuses for good. */
  readonly isRefused?: (n: number) => boolean;
  /** Events may be accepted twice at most so often in all. */
  readonly maxRepeats: number;
}

/** An event is held at most this often by a worker that dies: events of its parts, and of retry jobs. */
export function repeatsOf(kills: number, ranges = 2): number {
  return kills * ranges * (500 + 100);
}

/** Checks the receiver, the dead-letter file and the summary of a planner against each other. */
export async function expectComplete(
  result: CliResult,
  cwd: string,
  receiver: CountingReceiver,
  { files, isClean = false, isRefused = () => false, maxRepeats }: Expected,
): Promise<Summary> {
  const summary = summaryOf(result);
  const numbers = Array.from({ length: files.count }, (_, n) => n);
  const isBroken = (n: number): boolean => !isClean && isInvalid(n);
  const invalid = numbers.filter(isBroken);
  const refused = numbers.filter((n) => !isBroken(n) && isRefused(n));
  const { accepted, changedIds } = await receiver.report();
  const isGood = (n: number): boolean => !isBroken(n) && !isRefused(n);

  expect(numbers.filter((n) => isGood(n) && accepted[n] === 0)).toEqual([]);
  expect(numbers.filter((n) => !isGood(n) && accepted[n]! > 0)).toEqual([]);
  expect(repeatsIn(accepted)).toBeLessThanOrEqual(maxRepeats);
  expect(changedIds).toBe(0);
  expect(summary).toMatchObject({
    read: files.count,
    delivered: files.count - invalid.length - refused.length,
    rejected: invalid.length,
    failed: refused.length,
    skipped: 0,
    pending: 0,
  });
  expect(addsUp(summary)).toBe(true);
  expect(deadNumbers(summary, cwd)).toEqual([...invalid, ...refused].sort((a, b) => a - b));
  expect(result.code).toBe(invalid.length + refused.length > 0 ? 3 : 0);
  return summary;
}

/** Checks that `runs show` and `runs verify` agree with the summary. */
export async function expectAgreement(fleet: Fleet, run: string, summary: Summary): Promise<void> {
  const { read, delivered, rejected, failed, skipped } = summary;
  const line = await fleet.runs('show', run);
  expect(line).toMatchObject({ type: 'run', id: run, state: 'finished', retrying: 0 });
  expect(line).toMatchObject({ read, delivered, rejected, failed, skipped });
  expect(line.parts).toMatchObject({ done: line.parts.total, failed: 0 });
  const verified = await fleet.run(['runs', 'verify', run, '--json']);
  expect(verified).toMatchObject({ code: 0 });
}

export function repeatsIn(accepted: Uint8Array): number {
  return accepted.reduce((sum, times) => sum + Math.max(0, times - 1), 0);
}

/** The numbers of the events in the dead-letter file, sorted; each as often as it is there. */
export function deadNumbers({ deadLetter }: Summary, cwd: string): number[] {
  if (deadLetter === null) return [];
  const lines = readFileSync(resolve(cwd, deadLetter), 'utf8');
  return lines
    .trim()
    .split('\n')
    .map(numberOf)
    .sort((a, b) => a - b);
}

function numberOf(text: string): number {
  const line = JSON.parse(text) as { raw?: string; event?: { properties: { n: number } } };
  return line.event?.properties.n ?? Number(/^not json (\d+)$/.exec(line.raw ?? '')?.[1]);
}
