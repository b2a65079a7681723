import { userHash, userKeyOf } from '../user-key.js';
import type { DeletedUser } from './deleted-users.js';
import { eventOf, type StoredEvent } from './stored.js';

/** Users whose deletion was requested, by the keys of `userKeyOf`, as events are compared with them. */
export class DeletedUserKeys {
  /** Time of the newest request. */
  readonly #requestedAt = new Map<string, number>();

  constructor(users: readonly DeletedUser[] = []) {
    for (const user of users) this.add(user);
  }

  add({ userId, receivedAt }: DeletedUser): void {
    const key = keyOfId(userId);
    if (key === undefined) return;
    this.#requestedAt.set(key, Math.max(receivedAt, this.#requestedAt.get(key) ?? 0));
  }

  get size(): number {
    return this.#requestedAt.size;
  }

  /** Their `userHash`. */
  get hashes(): ReadonlySet<number> {
    return new Set([...this.#requestedAt.keys()].map(userHash));
  }

  /** Whether it is of one of them, and was received before the request. */
  has({ event, receivedAt }: Pick<StoredEvent, 'event' | 'receivedAt'>): boolean {
    if (this.size === 0) return false;
    return receivedAt <= (this.#requestedAt.get(userKeyOf(event) ?? '') ?? -Infinity);
  }
}

/** The key of the user of an event with this id. @param userId JSON text */
function keyOfId(userId: string): string | undefined {
  return userKeyOf(eventOf(Buffer.from(`{"type":"delete","userId":${userId}}`), ''));
}
