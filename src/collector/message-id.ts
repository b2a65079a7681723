import { randomUUID } from 'node:crypto';

/** The last two digits of an id: so many ids are made from one random UUID. */
const endings = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

let beginning = '';
let used = endings.length;

/**
 * A random UUID, as a messageId. 114 of its bits are random for each 256 ids, and 8 count up: as
 * unlikely to occur twice as any, at a tenth of the time.
 */
export function newMessageId(): string {
  if (used === endings.length) {
    beginning = randomUUID().slice(0, -2);
    used = 0;
  }
  return beginning + endings[used++]!;
}
