import type { Origin, Problem } from '../../src/events/event.js';
import type { Checkpoint } from '../../src/ledger/progress.js';

/** The checkpoint of an import before its first run. */
export const emptyCheckpoint: Checkpoint = { last: new Map(), open: [] };

/** The checkpoint after these changes have been committed. */
export function checkpointAfter(before: Checkpoint, { last, open }: Checkpoint): Checkpoint {
  return structuredClone({ last: new Map([...before.last, ...last]), open });
}

/** A line with any content. */
export function lineAt(origin: Origin): Problem {
  return { code: 'any', message: '', origin, bytes: Buffer.from('{}'), isJson: true };
}
