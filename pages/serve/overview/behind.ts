import type { UserQueue } from '../../../src/api/serve.js';
import { spanText } from '../outcomes/span.js';

/** The event that a user waits for, why it failed and when it is tried again; `now` in milliseconds. */
export function behindText({ first, code, message }: UserQueue, now: number): string {
  if (!first) return 'an event that cannot be read';
  const event = [first.type, first.name, first.messageId].filter((part) => part !== null).join(' ');
  if (first.state !== 'retrying') return `${event}: is sent now`;
  const why = message ?? code ?? 'not delivered';
  const rest = first.nextAt === null ? 0 : Date.parse(first.nextAt) - now;
  return `${event}: ${why}, ${rest > 0 ? `next in ${spanText(rest)}` : 'next attempt now'}`;
}
