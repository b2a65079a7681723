import type { Row } from '../../../storage/sqlite.js';
import type { StateFile } from '../../../storage/state-file.js';
import { userKeyBytes } from '../../user-key.js';

/** The first event of a user that is parked or waits for a retry. */
export interface UserHead {
  readonly id: number;
  readonly isParked: boolean;
  /** Of a parked event: the id of the one before it, which may still be in the queue; 0 for none. */
  readonly behind: number;
}

/** The same with the length of its queue. */
export interface LongUserQueue extends UserHead {
  /** Of all events of the user. */
  readonly count: number;
}

/**
 * The events of ordered destinations that are parked or wait for a retry, by their users. Destinations are numbers; that
 * of a row which was set aside is negative.
 */
export class UserEvents {
  readonly #connection: StateFile;
  /** How many rows there are, by destination. */
  readonly #counts = new Map<number, number>();
  #changes: (readonly [destination: number, count: number])[] = [];

  constructor(connection: StateFile) {
    this.#connection = connection;
    for (const { destination, n } of connection.all(selectCounts))
      this.#counts.set(Number(destination), Number(n));
  }

  /** Whether a destination has none; those of the current transaction count. */
  isEmpty(destination: number): boolean {
    return !this.#counts.has(destination);
  }

  /** Within a transaction: an event waits for a retry. */
  addRetry(destination: number, user: string, event: number): void {
    if (this.#connection.run(insertRow, destination, userKeyBytes(user), event, 0, 0) > 0)
      this.#count(destination, 1);
  }

  /** Within a transaction: an event is parked behind another one. */
  park(destination: number, user: string, event: number, behind: number): void {
    if (this.#connection.run(insertRow, destination, userKeyBytes(user), event, 1, behind) > 0)
      this.#count(destination, 1);
  }

  /** Within a transaction: an event is not parked anymore, but waits for a retry. Returns whether it was. */
  unpark(destination: number, event: number): boolean {
    if (this.isEmpty(destination)) return false;
    return this.#connection.run(updateUnparked, destination, event) > 0;
  }

  /** Within a transaction: an event has ended. Returns whether it was parked. */
  remove(destination: number, event: number): boolean {
    if (this.isEmpty(destination)) return false;
    const row = this.#connection.get(selectEvent, destination, event);
    if (!row) return false;
    this.#connection.run(deleteEvent, destination, event);
    this.#count(destination, -1);
    return row.is_parked === 1;
  }

  /** Within a transaction: a parked event cannot be read. Returns how many rows it has. */
  setAside(destination: number, event: number): number {
    const changed = this.#connection.run(updateAside, destination, event);
    this.#count(destination, -changed);
    this.#count(-destination, changed);
    return changed;
  }

  /** Whether an event is parked for any destination. */
  isParked(event: number): boolean {
    return this.#parkedAt(event).length > 0;
  }

  /** Numbers of the destinations for which an event is parked. */
  parkedFor(event: number): number[] {
    return this.#parkedAt(event).filter((destination) => destination > 0);
  }

  /** The first event of a user. */
  head(destination: number, user: string): UserHead | undefined {
    const row = this.#connection.get(selectHead, destination, userKeyBytes(user));
    return row && headOf(row);
  }

  /** The first parked events of a user, in order, up to the first one that waits for a retry. */
  parkedFirst(destination: number, user: string, limit: number): UserHead[] {
    const heads = this.#connection
      .all(selectFirst, destination, userKeyBytes(user), limit)
      .map(headOf);
    const end = heads.findIndex(({ isParked }) => !isParked);
    return end === -1 ? heads : heads.slice(0, end);
  }

  /** Users after this one, in the order of their keys. */
  usersAfter(destination: number, user: string, limit: number): string[] {
    const users: string[] = [];
    for (let after = userKeyBytes(user); users.length < limit;) {
      const row = this.#connection.get(selectNextUser, destination, after);
      if (!row) break;
      after = Buffer.from(row.user as Uint8Array);
      users.push(after.toString('hex'));
    }
    return users;
  }

  /** Ids of parked events after this one, in the order of arrival. */
  parkedAfter(destination: number, event: number, limit: number): number[] {
    if (this.isEmpty(destination)) return [];
    const rows = this.#connection.all(selectParkedAfter, destination, event, limit);
    return rows.map((row) => Number(row.event));
  }

  /** Users with more than one event, those with the most first. */
  longest(destination: number, limit: number): LongUserQueue[] {
    if (this.isEmpty(destination)) return [];
    return this.#connection.all(selectLongest, destination, limit).map((row) => ({
      ...headOf(this.#connection.get(selectHead, destination, row.user as Uint8Array)!),
      count: Number(row.n),
    }));
  }

  committed(): void {
    this.#changes = [];
  }

  rolledBack(): void {
    const changes = this.#changes;
    this.#changes = [];
    for (const [destination, count] of changes) this.#count(destination, -count);
    this.#changes = [];
  }

  #count(destination: number, change: number): void {
    if (change === 0) return;
    const count = (this.#counts.get(destination) ?? 0) + change;
    if (count > 0) this.#counts.set(destination, count);
    else this.#counts.delete(destination);
    this.#changes.push([destination, change]);
  }

  #parkedAt(event: number): number[] {
    return [...this.#counts.keys()].filter(
      (destination) => this.#connection.get(selectEvent, destination, event)?.is_parked === 1,
    );
  }
}

function headOf({ event, is_parked, behind }: Row): UserHead {
  return { id: Number(event), isParked: is_parked === 1, behind: Number(behind) };
}

const selectCounts = 'SELECT destination, count(*) AS n FROM user_event GROUP BY destination';
const insertRow = `INSERT INTO user_event (destination, user, event, is_parked, behind) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;
const updateUnparked =
  'UPDATE user_event SET is_parked = 0 WHERE destination = ? AND event = ? AND is_parked = 1';
const updateAside =
  'UPDATE user_event SET destination = -destination WHERE destination = ? AND event = ?';
const selectEvent = 'SELECT is_parked FROM user_event WHERE destination = ? AND event = ?';
const deleteEvent = 'DELETE FROM user_event WHERE destination = ? AND event = ?';
const selectHead = `SELECT event, is_parked, behind FROM user_event WHERE destination = ? AND user = ?
  ORDER BY event LIMIT 1`;
const selectFirst = `SELECT event, is_parked, behind FROM user_event WHERE destination = ? AND user = ?
  ORDER BY event LIMIT ?`;
const selectNextUser =
  'SELECT user FROM user_event WHERE destination = ? AND user > ? ORDER BY user LIMIT 1';
const selectParkedAfter = `SELECT event FROM user_event WHERE destination = ? AND event > ? AND is_parked = 1
  ORDER BY event LIMIT ?`;
const selectLongest = `SELECT user, count(*) AS n FROM user_event WHERE destination = ?
  GROUP BY user HAVING n > 1 ORDER BY n DESC LIMIT ?`;
