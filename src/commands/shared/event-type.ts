import { UsageError } from '../../errors.js';
import { eventTypes } from '../../events/event.js';
import { similar } from '../../nearest.js';
import { isQuotable } from '../../quoted.js';

/** @throws UsageError for an unknown type. */
export function knownType(text: string): string {
  if ((eventTypes as readonly string[]).includes(text)) return text;
  throw unknownType(text);
}

/** Quotes the type, unless it may be a secret in the wrong place. */
export function unknownType(text: string): UsageError {
  const near = similar(text, eventTypes);
  const what = `unknown type${isQuotable(text) ? ` "${text}"` : ''}`;
  const advice = near === undefined ? '' : ` (Did you mean ${near}?)`;
  const next = `expected one of ${eventTypes.join(', ')}`;
  return new UsageError(`${what}${advice}; ${next}`, 'unknown_type');
}
