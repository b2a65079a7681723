import type { Origin, Problem } from '../../src/events/event.js';
import type { Checkpoint } from '../../src/ledger/progress.js';

/** Where an import stands before its first run. */
export const emptyCheckpoint: Checkpoint = { last: new Map(), open: [] };

/** Where it stands when these changes have been committed. */
export function checkpointAfter(before: Checkpoint, { last, open }: Checkpoint): Checkpoint {
  return structuredClone({ last: new Map([...before.last, ...last]), open });
}

/** A line that is read as something; what does not matter. */
export function lineAt(origin: Origin): Problem {
  return { code: 'any', message: '', origin, bytes: Buffer.from('{}'), isJson: true };
}
