import type { HeldJob } from '../../../store/postgres/jobs.js';
import type { Transaction } from '../../../store/postgres/queries.js';
import { StoreUnavailable } from '../../../store/postgres/unavailable.js';
import { bytesOfSeenKey, seenKey } from '../seen-key.js';
import type { Ending, Failure } from '../service-store.js';
import type { RetryEvent, StoredEvent } from '../stored.js';
import { maxBlockEvents, packBatch, type BatchedRetry } from './codec.js';
import { CountChanges, queueOf, storable, type StoreParts } from './context.js';
import { keyWithoutDestination } from './seen.js';
import { UserEvents, type Parked } from './user-events.js';
import {
  isTextless,
  waitingBits,
  type Ended,
  type Textless,
  type Unit,
  type UnitOutcome,
} from './unit.js';

/** About as long as a lease lasts: what cannot be stored by then is done again by another process. */
const giveUpAfterMs = 10_000;
const maxBatchEvents = 100;
const maxUnparked = 1_000;
const maxBatchBytes = 256 * 1024;
/** Retries of one batch are due within this time, or a twentieth of their delay. */
const minSpreadMs = 250;
const spreadShare = 0.05;

/** Stores how events of one destination (by its number) ended: all that is said of a unit in one transaction. */
export class OutcomeWriter {
  readonly #parts: StoreParts;
  readonly #destination: number;
  readonly #users: UserEvents;

  constructor(parts: StoreParts, destination: number) {
    this.#parts = parts;
    this.#destination = destination;
    this.#users = new UserEvents(parts, destination);
  }

  /**
   * Returns the units whose outcomes are stored. Those of the others are refused, as another process has them, or the
   * server was away for too long.
   * @throws what is wrong with an outcome; then none is stored
   */
  async write(outcomes: readonly UnitOutcome[]): Promise<Set<Unit>> {
    const { database } = this.#parts.shared;
    const signal = AbortSignal.timeout(giveUpAfterMs);
    try {
      return await database.whenAvailable(
        () => database.transaction((tx) => this.#write(tx, outcomes)),
        { signal },
      );
    } catch (error) {
      if (error instanceof StoreUnavailable) return new Set();
      throw error;
    }
  }

  /** Within a transaction: lets parked events of a destination that is not ordered anymore go, the first ones. */
  async unpark(tx: Transaction): Promise<void> {
    const dueAt = this.#parts.shared.database.now();
    const why = { code: 'unordered', message: 'it waited for an earlier event of its user' };
    const events = await this.#users.takeAll(tx, maxUnparked);
    await this.#insertRetries(
      tx,
      events.map((event) => ({ ...event, ...why, dueAt, delayMs: 0, endpointDeliveries: [] })),
    );
  }

  async #write(tx: Transaction, outcomes: readonly UnitOutcome[]): Promise<Set<Unit>> {
    const ours: UnitOutcome[] = [];
    for (const kind of ['events', 'retries'] as const) {
      const ofKind = outcomes.filter(({ unit }) => unit.kind === kind);
      const done = await this.#fenced(tx, kind, ofKind.filter(isDone), 'remove');
      const open = await this.#fenced(tx, kind, ofKind.filter(isOpen), 'confirm');
      ours.push(...done, ...open);
    }
    const parked = outcomes.filter(({ unit }) => unit.kind === 'parked');
    ours.push(...(await this.#fenced(tx, 'order', parked, 'confirm')));
    const known = [
      ...(await this.#writeBlocks(tx, ours.filter(isOfBlock))),
      ...(await this.#writeBatches(tx, ours.filter(isOfBatch))),
      ...(await this.#writeParked(tx, ours.filter(isParked))),
    ];
    const unknown = ours.filter((outcome) => !known.includes(outcome));
    await this.#writeEndings(
      tx,
      unknown.flatMap(({ ended }) => ended),
    );
    // No event waits for them anymore. Events in blocks are not indexed by their users.
    const others = unknown.filter(({ unit }) => unit.kind !== 'events');
    this.#users.remove(
      tx,
      others.flatMap(({ ended }) => ended.filter(isOver).map(({ event }) => event.id)),
    );
    return new Set(ours.map(({ unit }) => unit));
  }

  /** Those whose jobs are still ours, until the transaction ends. */
  async #fenced(
    tx: Transaction,
    kind: 'events' | 'retries' | 'order',
    outcomes: readonly UnitOutcome[],
    how: 'remove' | 'confirm',
  ): Promise<UnitOutcome[]> {
    if (outcomes.length === 0) return [];
    const held = [...new Set(outcomes.map(({ unit }) => unit.job))];
    const { jobs } = this.#parts.shared;
    const queue = queueOf(kind, this.#destination);
    const ours = new Set<HeldJob>(
      how === 'remove' ? await jobs.remove(tx, queue, held) : await jobs.confirm(tx, queue, held),
    );
    return outcomes.filter(({ unit }) => ours.has(unit.job));
  }

  /**
   * Returns those that were stored before, by a transaction whose commit had no answer: a part of a unit leaves fewer
   * events than there were.
   */
  async #writeBlocks(tx: Transaction, outcomes: readonly UnitOutcome[]): Promise<UnitOutcome[]> {
    const { schema } = this.#parts.shared;
    const done = outcomes.filter(isDone).map(({ unit }) => unit.id);
    const open = outcomes.filter(isOpen);
    this.#endBlocks(tx, done);
    if (open.length === 0) return [];
    const updated = await tx.query<{ block: number }>(
      `UPDATE ${schema}.queued_block q SET waiting_count = g.n, waiting_bits = g.bits
       FROM unnest($2::bigint[], $3::int[], $4::bytea[]) AS g (block, n, bits)
       WHERE q.destination = $1 AND q.block = g.block AND q.waiting_count > g.n RETURNING q.block`,
      [
        this.#destination,
        open.map(({ unit }) => unit.id),
        open.map(({ left }) => left.size),
        open.map(({ unit: { id, size }, left }) => waitingBits(size, id * maxBlockEvents, left)),
      ],
    );
    const ids = new Set(updated.map(({ block }) => block));
    return open.filter(({ unit }) => !ids.has(unit.id));
  }

  #endBlocks(tx: Transaction, done: readonly number[]): void {
    const { schema } = this.#parts.shared;
    if (done.length === 0) return;
    // A kept block stays. In this order: of two that end the same block for two destinations, the second one sees what the first one has
    // deleted.
    tx.send(
      `SELECT 1 FROM ${schema}.event_block WHERE id = ANY($1) AND destinations > 1 AND kept_ms IS NULL ORDER BY id FOR UPDATE`,
      [done],
    );
    tx.send(`DELETE FROM ${schema}.queued_block WHERE destination = $1 AND block = ANY($2)`, [
      this.#destination,
      done,
    ]);
    tx.send(
      `DELETE FROM ${schema}.event_block b WHERE id = ANY($1) AND kept_ms IS NULL
       AND NOT EXISTS (SELECT 1 FROM ${schema}.queued_block q WHERE q.block = b.id)`,
      [done],
    );
  }

  /** Returns those that were stored before, as `#writeBlocks` does. */
  async #writeBatches(tx: Transaction, outcomes: readonly UnitOutcome[]): Promise<UnitOutcome[]> {
    const { schema } = this.#parts.shared;
    const done = outcomes.filter(isDone).map(({ unit }) => unit.id);
    if (done.length > 0) {
      tx.send(`DELETE FROM ${schema}.retry_batch WHERE id = ANY($1)`, [done]);
    }
    const known: UnitOutcome[] = [];
    for (const outcome of outcomes.filter(isOpen)) {
      const { id, events } = outcome.unit;
      const left = [...outcome.left].map((event) => events.get(event) as BatchedRetry);
      const updated = await tx.query(
        `UPDATE ${schema}.retry_batch SET size = $2, body = $3 WHERE id = $1 AND size > $2 RETURNING id`,
        [id, left.length, packBatch(left)],
      );
      if (updated.length === 0) known.push(outcome);
    }
    return known;
  }

  /** Returns those that were stored before, as `#writeBlocks` does. */
  async #writeParked(tx: Transaction, outcomes: readonly UnitOutcome[]): Promise<UnitOutcome[]> {
    const unparked = await this.#users.unpark(
      tx,
      outcomes.map(({ unit }) => unit.id),
    );
    return outcomes.filter(({ unit }) => !unparked.has(unit.id));
  }

  async #writeEndings(tx: Transaction, endings: readonly Ended[]): Promise<void> {
    const { names, shared } = this.#parts;
    const counts = new CountChanges();
    const retries: NewRetry[] = [];
    const failed: { readonly event: StoredEvent; readonly failure: Failure }[] = [];
    const delivered: Textless[] = [];
    const parked: Parked[] = [];
    const count = ({ source }: Textless, kind: 'delivered' | 'skipped' | 'failed'): void =>
      counts.add(names.find('source', source), this.#destination, kind);
    for (const ended of endings) {
      if (isTextless(ended)) {
        count(ended.event, ended.ending.kind);
        if (ended.ending.kind === 'delivered') delivered.push(ended.event);
        continue;
      }
      const { event, ending, user } = ended;
      if (ending.kind === 'postponed') retries.push(retryOf(event, ending, user));
      else if (ending.kind === 'parked') parked.push({ event, user: user!, behind: ending.behind });
      else {
        count(event, ending.kind);
        failed.push({ event, failure: ending.failure });
      }
    }
    await this.#insertDeadLetters(tx, failed);
    this.#dropDeadLetters(tx, delivered);
    counts.write(tx, shared.schema);
    await this.#insertRetries(tx, retries);
    this.#users.park(tx, parked);
  }

  async #insertRetries(tx: Transaction, retries: readonly NewRetry[]): Promise<void> {
    const { schema, jobs, database } = this.#parts.shared;
    const batches = batchesOf(retries);
    if (batches.length === 0) return;
    const rows = await tx.query<{ id: number }>(
      `INSERT INTO ${schema}.retry_batch (destination, queued_at, due_at, size, body)
       SELECT $1, * FROM unnest($2::float8[], $3::float8[], $4::int[], $5::bytea[])
       RETURNING id`,
      [
        this.#destination,
        batches.map((batch) => Math.min(...batch.map(({ queuedAt }) => queuedAt))),
        batches.map((batch) => batch.at(-1)!.dueAt),
        batches.map((batch) => batch.length),
        batches.map((batch) => packBatch(batch)),
      ],
    );
    this.#users.addRetries(
      tx,
      batches.flatMap((batch, index) =>
        batch.flatMap((event) =>
          event.user === undefined ? [] : { event, user: event.user, batch: rows[index]!.id },
        ),
      ),
    );
    const now = database.now();
    await jobs.insert(
      tx,
      queueOf('retries', this.#destination),
      // With its last retry, so that all of it can be sent when it is taken.
      batches.map((batch, index) => ({
        data: { batch: rows[index]!.id },
        delayMs: Math.max(0, batch.at(-1)!.dueAt - now),
      })),
    );
  }

  /** An event has at most one dead letter at a destination, the newest; sent again, it is no repeat there. */
  async #insertDeadLetters(
    tx: Transaction,
    failed: readonly { readonly event: StoredEvent; readonly failure: Failure }[],
  ): Promise<void> {
    if (failed.length === 0) return;
    const { shared, names, seen } = this.#parts;
    const now = shared.database.now();
    const rows = failed.map(({ event: { event, ...stored }, failure }) => {
      const source = names.find('source', stored.source);
      const { messageId, writesMessageId, timestamp = null } = stored.stamp;
      return {
        ...{ source, messageId, writesMessageId, timestamp, failure, bytes: event.bytes },
        ...{ key: seenKey(source, this.#destination, messageId), receivedAt: stored.receivedAt },
      };
    });
    const keys = rows.map(({ key }) => key);
    this.#deleteDeadLetters(tx, keys);
    seen.forget(tx, keys);
    const known = rows.map(({ source, messageId }) => keyWithoutDestination(source, messageId));
    await seen.note(tx, new Set(known), now);
    tx.send(
      `INSERT INTO ${shared.schema}.dead_letter (destination, failed_at, seen_key, code, message, attempts,
         last_status, response, source, received_at, message_id, writes_message_id, timestamp, bytes)
       SELECT $1, $2, * FROM unnest($3::bytea[], $4::text[], $5::text[], $6::int[], $7::int[], $8::text[],
         $9::int[], $10::float8[], $11::text[], $12::int[], $13::text[], $14::bytea[])`,
      [
        this.#destination,
        now,
        rows.map(({ key }) => bytesOfSeenKey(key)),
        rows.map(({ failure }) => failure.code),
        rows.map(({ failure }) => storable(failure.message)),
        rows.map(({ failure }) => failure.attempts),
        rows.map(({ failure }) => failure.lastStatus),
        rows.map(({ failure }) => (failure.response ? JSON.stringify(failure.response) : null)),
        rows.map(({ source }) => source),
        rows.map(({ receivedAt }) => receivedAt),
        rows.map(({ messageId }) => JSON.stringify(messageId)),
        rows.map(({ writesMessageId }) => (writesMessageId ? 1 : 0)),
        rows.map(({ timestamp }) => timestamp),
        rows.map(({ bytes }) => bytes),
      ],
    );
  }

  /** Those of events that were sent again. */
  #dropDeadLetters(tx: Transaction, delivered: readonly Textless[]): void {
    if (delivered.length === 0) return;
    const { names } = this.#parts;
    const keys = delivered.map(({ source, stamp }) =>
      seenKey(names.find('source', source), this.#destination, stamp.messageId),
    );
    this.#deleteDeadLetters(tx, keys);
  }

  #deleteDeadLetters(tx: Transaction, keys: readonly string[]): void {
    tx.send(`DELETE FROM ${this.#parts.shared.schema}.dead_letter WHERE seen_key = ANY($1)`, [
      keys.map(bytesOfSeenKey),
    ]);
  }
}

interface NewRetry extends BatchedRetry {
  readonly delayMs: number;
  /** Of an ordered destination. */
  readonly user?: string;
}

function isDone({ left }: UnitOutcome): boolean {
  return left.size === 0;
}

function isOver({ ending }: Ended): boolean {
  return ending.kind !== 'postponed';
}

function isOpen({ left }: UnitOutcome): boolean {
  return left.size > 0;
}

function isOfBlock({ unit }: UnitOutcome): boolean {
  return unit.kind === 'events';
}

function isParked({ unit }: UnitOutcome): boolean {
  return unit.kind === 'parked';
}

function isOfBatch({ unit }: UnitOutcome): boolean {
  return unit.kind === 'retries';
}

function retryOf(
  event: StoredEvent,
  { retry, delayMs, code, message }: Ending & { kind: 'postponed' },
  user: string | undefined,
): NewRetry {
  const { id, source, receivedAt, queuedAt, stamp } = event;
  const { dueAt, endpointDeliveries } = retry;
  return {
    ...{ id, source, receivedAt, queuedAt, stamp, event: event.event, dueAt, endpointDeliveries },
    ...{ code, message, delayMs, ...(user !== undefined && { user }) },
  };
}

/** Batches of retries that are due at about the same time, each in the order of their due times. */
export function batchesOf<R extends RetryEvent & { readonly delayMs: number }>(
  retries: readonly R[],
): R[][] {
  const batches: R[][] = [];
  let bytes = 0;
  for (const retry of [...retries].sort((one, other) => one.dueAt - other.dueAt)) {
    const batch = batches.at(-1);
    const [first] = batch ?? [];
    const { length } = retry.event.bytes;
    const fits =
      first !== undefined &&
      batch!.length < maxBatchEvents &&
      bytes + length <= maxBatchBytes &&
      retry.dueAt - first.dueAt <= Math.max(minSpreadMs, spreadShare * first.delayMs);
    if (fits) batch!.push(retry);
    else batches.push([retry]);
    bytes = fits ? bytes + length : length;
  }
  return batches;
}
