import { UsageError } from '../errors.js';
import { quoted } from '../quoted.js';

/**
 * What is posted: `webhook`, a body with a fixed set of members, or `original`, the event's own text,
 * byte for byte.
 */
export type BodyForm = 'webhook' | 'original';

/** @internal */
export const bodyForms = ['webhook', 'original'] as const satisfies readonly BodyForm[];

/**
 * Checks a value from outside; error messages begin with `where`.
 * @throws UsageError unless it is a body form.
 * @internal
 */
export function checkBodyForm(value: string, where: string): BodyForm {
  const form = bodyForms.find((known) => known === value);
  if (form) return form;
  throw new UsageError(`${where}: ${quoted(value, 'the value')} must be ${bodyForms.join(' or ')}`);
}
