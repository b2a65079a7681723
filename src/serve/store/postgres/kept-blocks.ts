import { userHash, userKeyOf } from '../../user-key.js';
import type { NewEvent } from '../event-block.js';
import type { CountChanges } from './context.js';

/** About the size of a row and its index entries without its values. */
const rowBytes = 120;

/** The counter of what kept blocks take, in bytes, as it was when they were written. */
export const keptCounter = 'kept_bytes';

/** What a kept block takes, in bytes. */
export function keptBytes(body: Buffer, users: Buffer): number {
  return body.length + users.length + rowBytes;
}

/** The same of a row of `event_block`. */
export const keptBytesSql = `(octet_length(body) + coalesce(octet_length(users), 0) + ${rowBytes})`;

export function countKept(counts: CountChanges, bytes: number): void {
  if (bytes !== 0) counts.add(0, 0, keptCounter, bytes);
}

/** The column `users`: the `userHash` of each user of these events, by which the blocks of a user are found. */
export function usersOf(events: readonly Pick<NewEvent, 'event'>[]): Buffer {
  const hashes = new Set(events.map(({ event }) => userHash(userKeyOf(event))));
  // That of events without a user.
  hashes.delete(0);
  return Buffer.concat([...hashes].map(hashBytes));
}

/** A `userHash` as the column `users` has it. */
export function hashBytes(hash: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(hash);
  return bytes;
}
