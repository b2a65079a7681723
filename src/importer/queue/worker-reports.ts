import type { QueueConnection } from './connection.js';
import { RunKeys } from './keys.js';
import type { WorkerReport } from './run-record.js';
import { leaveScript } from './scripts/leave.js';
import { reportScript } from './scripts/report.js';

/** A worker reports each second or two. */
const forgottenAfterMs = 6_000;

export async function storeReport(
  connection: QueueConnection,
  keys: RunKeys,
  { id, items }: WorkerReport,
): Promise<void> {
  await connection.script(reportScript, [keys.record, keys.workers], [id, items]);
}

export async function removeReport(
  connection: QueueConnection,
  keys: RunKeys,
  worker: string,
): Promise<void> {
  const ofBullmq = ['meta', 'stalled-check'].flatMap((name) => [
    keys.queue('ranges', name),
    keys.queue('retries', name),
  ]);
  const all = [keys.record, keys.workers, keys.bucket, ...ofBullmq];
  await connection.script(leaveScript, all, [worker]);
}

/** The workers at work, of a hash of `<items> <time>`. */
export function readReports(stored: Readonly<Record<string, string>>, now: number): WorkerReport[] {
  return Object.entries(stored).flatMap(([id, text]) => {
    const [items = 0, at = 0] = text.split(' ').map(Number);
    return now - at < forgottenAfterMs ? [{ id, items }] : [];
  });
}
