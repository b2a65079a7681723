import { maxStoredRows } from './stored.js';
import type { EventRecord } from '../event-record.js';

/** A user whose deletion was requested. */
export interface DeletedUser {
  /** The JSON text of the id, as received. */
  readonly userId: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

/** Above this many users, parsing each line is faster than searching for each id. */
const maxSearched = 100;
/** Shorter ids occur in other texts by chance and are not replaced there. */
const minIdLength = 4;
/** The length to which `identityOf` truncates them. */
const maxShownLength = 200;

/** Users whose deletion was requested: events received before that are logged without their ids. */
export class DeletedUsers {
  /** Time of the newest request, by user. */
  readonly #requestedAt = new Map<string, number>();

  readonly #limit: number;

  /** @param limit how many are kept, those of the newest requests. Default: as many as in the state. */
  constructor(users: readonly DeletedUser[] = [], limit = maxStoredRows.deletion) {
    this.#limit = limit;
    for (const user of users) this.add(user);
  }

  add({ userId, receivedAt }: DeletedUser): void {
    const user = String(JSON.parse(userId)).slice(0, maxShownLength);
    const requestedAt = Math.max(receivedAt, this.#requestedAt.get(user) ?? 0);
    // A Map is in the order of insertion.
    this.#requestedAt.delete(user);
    this.#requestedAt.set(user, requestedAt);
    if (this.#requestedAt.size > this.#limit)
      this.#requestedAt.delete(this.#requestedAt.keys().next().value!);
  }

  /** When the newest deletion was requested; milliseconds since 1970, 0 for none. */
  get newestRequestAt(): number {
    return Math.max(0, ...this.#requestedAt.values());
  }

  /** Quick test: false when no line can be about one of these users. */
  mayBeIn(lines: Buffer): boolean {
    if (this.#requestedAt.size > maxSearched) return true;
    return [...this.#requestedAt.keys()].some((user) =>
      lines.includes(JSON.stringify(user).slice(0, -1)),
    );
  }

  /** Whether an entry is about one of them and must be logged without its ids. */
  has({ user, receivedAt }: EventRecord): boolean {
    if (user === null || this.#requestedAt.size === 0) return false;
    const requestedAt = this.#requestedAt.get(user);
    return requestedAt !== undefined && receivedAt <= requestedAt;
  }

  /** The entry as it may be logged. */
  without(entry: EventRecord): EventRecord {
    return this.has(entry) ? anonymous(entry) : entry;
  }
}

function anonymous(entry: EventRecord): EventRecord {
  const { user, type, messageId, message } = entry;
  const isLong = user !== null && user.length >= minIdLength;
  // evfwd makes the messageId of a deletion notification, so it does not contain the id.
  const mayContainId = isLong && type !== 'delete';
  return {
    ...entry,
    user: null,
    name: null,
    messageId: mayContainId ? messageId.replaceAll(user, '…') : messageId,
    message: isLong && message !== null ? message.replaceAll(user, '…') : message,
    // An endpoint may repeat any part of the event.
    response: null,
  };
}
