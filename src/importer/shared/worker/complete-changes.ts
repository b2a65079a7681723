import type { RecordChanges } from '../../../steps/changes.js';
import { checkValue } from '../check-value.js';
import type { PlannedChanges } from '../plan.js';
import type { OwnParts } from './own-parts.js';
import { Refusal } from './refusal.js';

/**
 * What a plan does to each record, with this worker's key of `--hash`.
 *
 * @throws Refusal that names what is missing, or differs
 */
export function completeChanges(
  changes: PlannedChanges | null,
  { hashKey }: Pick<OwnParts, 'hashKey'>,
): RecordChanges | undefined {
  if (!changes) return undefined;
  const { map, steps, hashKeyCheck } = changes;
  if (hashKeyCheck === null) return { map, steps, hashKey: undefined };
  if (hashKey === undefined) throw new Refusal('needs the key of --hash; use --hash-key-file');
  if (checkValue(hashKey) === hashKeyCheck) return { map, steps, hashKey };
  throw new Refusal("its key of --hash differs from this worker's; check --hash-key-file");
}
