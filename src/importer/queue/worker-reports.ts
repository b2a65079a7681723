import type { QueueConnection } from './connection.js';
import { RunKeys } from './keys.js';
import type { WorkerReport } from './run-record.js';
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
  await connection.run(() => connection.client.hdel(keys.workers, worker));
}

/** The workers at work, of a hash of `<items> <time>`. */
export function readReports(stored: Readonly<Record<string, string>>, now: number): WorkerReport[] {
  return Object.entries(stored).flatMap(([id, text]) => {
    const [items = 0, at = 0] = text.split(' ').map(Number);
    return now - at < forgottenAfterMs ? [{ id, items }] : [];
  });
}
