import { readSecretFile } from '../../config/secret.js';
import type { RecordChanges } from '../../steps/changes.js';
import { parseStep } from '../../steps/step.js';
import { stepKindOf } from '../flags/changes.js';
import type { TypedFlag } from '../flags/flag.js';

/** Flags that change records before they are sent; the steps are read from the flags as typed. */
export interface ChangeFlags {
  hashKeyFile?: string;
  deadLetterChanged?: boolean;
}

/**
 * What is done to each record, in the order in which the flags were typed; undefined for nothing.
 * @throws UsageError when the file of the key is empty or cannot be read
 */
export function resolveChanges(
  typed: readonly TypedFlag[],
  { hashKeyFile }: ChangeFlags,
  cwd: string,
): RecordChanges | undefined {
  const steps = typed.flatMap(({ flag, value = '' }) => {
    const kind = stepKindOf(flag);
    return kind ? [parseStep(kind, value)] : [];
  });
  if (steps.length === 0) return undefined;
  if (hashKeyFile === undefined) return { steps, hashKey: undefined };
  const key = Buffer.from(readSecretFile(hashKeyFile, cwd, '--hash-key-file'));
  return { steps, hashKey: key.toString('base64') };
}
