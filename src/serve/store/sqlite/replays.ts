import type { Change } from '../../../storage/group-commit.js';
import type { KeptEvent, ReadEvent } from '../../kept/block.js';
import { DeletedUserKeys } from '../deleted-user-keys.js';
import {
  maxEndedReplays,
  type Progress,
  type ReplayRequest,
  type ReplayState,
  type ReplayStore,
  type StoredReplay,
} from '../../kept/replay-store.js';
import { deletedUserOf, replayOf } from '../records.js';
import { runAll } from '../run-all.js';
import type { OnStored, StoredEvent } from '../stored.js';
import type { StoreContext } from './store-context.js';

/** Writes within a transaction; resolves when that is durable. */
export type WriteChange = (change: Pick<Change, 'rows' | 'write' | 'durable'>) => Promise<void>;

/** Replays in the state file. One transaction stores the position of a replay and queues its events. */
export class SqliteReplays implements ReplayStore {
  readonly #context: StoreContext;
  readonly #change: WriteChange;
  readonly #removed = new DeletedUserKeys();
  /** The id of the last deletion request that `#removed` has. */
  #lastDeletion = 0;

  constructor(context: StoreContext, change: WriteChange) {
    this.#context = context;
    this.#change = change;
  }

  list(): StoredReplay[] {
    return this.#context.connection
      .all('SELECT * FROM replay ORDER BY number DESC')
      .map((row) => replayOf(row));
  }

  create(id: string, request: ReplayRequest): Promise<void> {
    const { connection, clock } = this.#context;
    const values = [id, request.destination, JSON.stringify(request), clock.now()];
    return this.#change({
      rows: 1,
      write: () => {
        connection.run(insertReplay, ...values);
        connection.run(deleteOld, maxEndedReplays);
      },
    });
  }

  get running(): number {
    return this.#context.connection.all(selectAllRunning).length;
  }

  add({ id, events, position }: Progress, destination: string, onStored: OnStored): Promise<void> {
    const { connection, nameTable, queue } = this.#context;
    let stored: StoredEvent[] = [];
    return this.#change({
      rows: events.length + 1,
      write: () => {
        stored = [];
        const wanted = this.#withoutRemoved(events);
        const text = JSON.stringify(position);
        if (connection.run(updateProgress, text, wanted.length, id) === 0) return;
        const number = nameTable.id('destination', destination);
        stored = wanted.map(({ source, receivedAt, event, stamp }) => {
          const added = { receivedAt, event, stamp: { ...stamp, replay: id } };
          return queue.add({ ...added, source: nameTable.id('source', source) }, [number]);
        });
      },
      durable: () => runAll(stored, (event) => onStored(event, [destination])),
    });
  }

  /** All that run: no other process has the file. */
  take(): StoredReplay[] {
    return this.list().filter(({ state }) => state === 'running');
  }

  isOurs(id: string): boolean {
    return this.#context.connection.all(selectRunning, id).length > 0;
  }

  release(): void {
    return;
  }

  stop(id: string): Promise<boolean> {
    return this.#end(id, 'stopped');
  }

  async end(id: string, state: 'finished' | 'failed', message?: string): Promise<void> {
    await this.#end(id, state, message);
  }

  hasRoom(destination: string, limit: number): boolean {
    const { nameTable, queue } = this.#context;
    const { waiting, retrying } = queue.lengths.of(nameTable.find('destination', destination));
    return waiting - retrying < limit;
  }

  waitingFor(destination: string): (events: readonly ReadEvent[]) => ReadonlySet<ReadEvent> {
    return (events) => new Set(events.filter((event) => this.#isWaiting(destination, event)));
  }

  dead(destination: string, events: readonly ReadEvent[]): ReadonlySet<ReadEvent> {
    return new Set(events.filter((event) => this.#isDead(destination, event)));
  }

  #isWaiting(destination: string, { id, destinations }: KeptEvent): boolean {
    if (id === 0 || !destinations.includes(destination)) return false;
    const { nameTable, queue } = this.#context;
    return queue.isWaiting(nameTable.find('destination', destination), id);
  }

  #isDead(destination: string, { source, stamp }: KeptEvent): boolean {
    const { nameTable, deadLetters } = this.#context;
    const [to, from] = [
      nameTable.find('destination', destination),
      nameTable.find('source', source),
    ];
    return to > 0 && from > 0 && deadLetters.has(to, from, stamp.messageId);
  }

  #withoutRemoved(events: readonly KeptEvent[]): readonly KeptEvent[] {
    const rows = this.#context.connection.all(selectDeletions, this.#lastDeletion);
    for (const row of rows) this.#removed.add(deletedUserOf(row));
    this.#lastDeletion = (rows.at(-1)?.id as number | undefined) ?? this.#lastDeletion;
    return events.filter((event) => !this.#removed.has(event));
  }

  /** Resolves to whether it ran. */
  async #end(id: string, state: ReplayState, message?: string): Promise<boolean> {
    const { connection, clock } = this.#context;
    let changed = 0;
    await this.#change({
      rows: 1,
      write: () => {
        changed = connection.run(updateState, state, clock.now(), message ?? null, id);
      },
    });
    return changed > 0;
  }
}

const selectRunning = `SELECT 1 FROM replay WHERE id = ? AND state = 'running'`;
const selectAllRunning = `SELECT 1 FROM replay WHERE state = 'running'`;
const selectDeletions = 'SELECT id, user_id, received_at FROM deletion WHERE id > ? ORDER BY id';
const insertReplay = `INSERT INTO replay (id, destination, request, state, created_at)
  VALUES (?, ?, ?, 'running', ?)`;
const deleteOld = `DELETE FROM replay WHERE state <> 'running' AND number <= (
  SELECT number FROM replay WHERE state <> 'running' ORDER BY number DESC LIMIT 1 OFFSET ?)`;
const updateProgress = `UPDATE replay SET position = ?, sent = sent + ?
  WHERE id = ? AND state = 'running'`;
const updateState = `UPDATE replay SET state = ?, ended_at = ?, message = ?
  WHERE id = ? AND state = 'running'`;
