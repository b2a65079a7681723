import { randomUUID } from 'node:crypto';

/** The last two digits of an id; 256 ids share one random UUID. */
const endings = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

let beginning = '';
let used = endings.length;

/**
 * A random UUID, as a messageId. Each 256 ids share 114 random bits, and 8 bits count up. Collisions are as
 * unlikely as with random UUIDs, at a tenth of the time.
 */
export function newMessageId(): string {
  if (used === endings.length) {
    beginning = randomUUID().slice(0, -2);
    used = 0;
  }
  return beginning + endings[used++]!;
}
