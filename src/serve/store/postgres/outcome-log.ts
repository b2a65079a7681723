import type { Clock } from '../../../clock.js';
import { sleep } from '../../../delivery/sleep.js';
import type { EventRecord } from '../../event-record.js';
import type { DeletedUsers } from '../deleted-users.js';
import { logLine, readLogLine } from '../delivery-log-entry.js';
import { deletedUserOf, type DeletedUserColumns } from '../records.js';
import type { OutcomeLog, OutcomesFound, Search } from '../store-views.js';
import { packLines, unpackLines } from './codec.js';
import type { StoreParts } from './context.js';

export interface PostgresOutcomeLogOptions {
  readonly parts: StoreParts;
  readonly clock: Clock;
  /** Of this instance. */
  readonly instance: string;
  readonly deletedUsers: DeletedUsers;
}

const writeMs = 500;
/** Lines are dropped above this limit, when the server is too slow or away. */
const maxPendingBytes = 4 * 1024 * 1024;
/** About what an entry takes in memory. */
const entryBytes = 500;
const maxBlockLines = 1_000;
/** Deletions that were requested since are read before entries are written that may be older. */
const freshMs = 2_000;
/** Deflated, about as much as the files of a store in SQLite hold. */
const maxLogBytes = 32 * 1024 * 1024;
const pruneEvery = 64;
const stepBlocks = 16;
/** Instances read deletion requests each second. */
const settleMs = 3_000;
const settleStepMs = 100;

/** An `OutcomeLog` of all instances, in deflated blocks of lines. */
export class PostgresOutcomeLog implements OutcomeLog {
  readonly deletedUsers: DeletedUsers;
  readonly #options: PostgresOutcomeLogOptions;
  readonly #table: string;
  #pending: EventRecord[] = [];
  #pendingBytes = 0;
  #writing: Promise<void> = Promise.resolve();
  #cancel: (() => void) | undefined;
  #writes = 0;
  /** Of the last deletion request that was read. */
  #deletionsUpTo = 0;
  /** By the monotonic clock. */
  #refreshedAt = -Infinity;

  constructor(options: PostgresOutcomeLogOptions) {
    this.#options = options;
    this.deletedUsers = options.deletedUsers;
    this.#table = `${options.parts.shared.schema}.outcome_log`;
  }

  add(entry: EventRecord): void {
    if (this.#pendingBytes > maxPendingBytes) return;
    this.#pending.push(entry);
    this.#pendingBytes += entryBytes + (entry.response?.body?.length ?? 0);
    this.#cancel ??= this.#options.clock.after(writeMs, () => void this.flush(), {
      keepsAlive: false,
    });
  }

  async search({
    text,
    isWanted,
    limit,
    mayContinue,
  }: Search<EventRecord>): Promise<OutcomesFound> {
    await this.flush();
    const wanted = text.toLowerCase();
    const escaped = JSON.stringify(text).slice(1, -1).toLowerCase();
    const items: EventRecord[] = [];
    let isComplete = true;
    for await (const lines of this.#blocks()) {
      for (const line of lines.reverse()) {
        const lower = line.toLowerCase();
        if (!lower.includes(wanted) && !lower.includes(escaped)) continue;
        const entry = readLogLine(line);
        if (entry && isWanted(entry)) items.push(entry);
      }
      isComplete = items.length <= limit && (await mayContinue());
      if (!isComplete) break;
    }
    return { items: items.slice(0, limit), isComplete, from: await this.#from() };
  }

  /** What other instances have logged after this block, the oldest first, and the id of the last block. */
  async ofOthers(
    after: number,
    limit: number,
  ): Promise<{ readonly last: number; readonly entries: EventRecord[] }> {
    const { database } = this.#options.parts.shared;
    const rows = await database.query<{ id: number; body: Buffer }>(
      `SELECT id, body FROM ${this.#table} WHERE id > $1 AND instance <> $2 ORDER BY id DESC LIMIT $3`,
      [after, this.#options.instance, limit],
    );
    const entries = rows
      .reverse()
      .flatMap(({ body }) => unpackLines(body).flatMap((line) => readLogLine(line) ?? []));
    return { last: rows.at(-1)?.id ?? after, entries };
  }

  async redact(users: DeletedUsers, mayContinue: () => boolean): Promise<boolean> {
    if (!(await this.#settle(users, mayContinue))) return false;
    await this.flush();
    const { database } = this.#options.parts.shared;
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      if (!mayContinue()) return false;
      const [row] = await database.query<{ id: number; body: Buffer }>(
        `SELECT id, body FROM ${this.#table} WHERE id < $1 ORDER BY id DESC LIMIT 1`,
        [before],
      );
      if (!row) return true;
      before = row.id;
      const lines = unpackLines(row.body);
      if (!users.mayBeIn(Buffer.from(lines.join('\n')))) continue;
      const redacted = lines.map((line) => {
        const entry = readLogLine(line);
        return entry && users.has(entry) ? logLine(users.without(entry)) : line;
      });
      if (redacted.every((line, i) => line === lines[i])) continue;
      const update = `UPDATE ${this.#table} SET body = $2 WHERE id = $1`;
      await database.query(update, [row.id, packLines(redacted)]);
    }
  }

  /** Reads the users whose deletion was requested since, also at other instances. */
  async refresh(): Promise<void> {
    const { database, schema } = this.#options.parts.shared;
    const rows = await database.query<DeletedUserColumns & { readonly id: number }>(
      `SELECT id, user_id, received_at FROM ${schema}.deletion WHERE id > $1 OR in_log ORDER BY id`,
      [this.#deletionsUpTo],
    );
    for (const row of rows) this.deletedUsers.add(deletedUserOf(row));
    this.#refreshedAt = this.#options.clock.monotonic();
    this.#deletionsUpTo = rows.at(-1)?.id ?? this.#deletionsUpTo;
  }

  flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#writing = this.#writing.then(() => this.#write()).catch(() => undefined);
    return this.#writing;
  }

  close(): void {
    this.#cancel?.();
  }

  /** By then all instances have heard of these users, and have written what they had before. */
  async #settle(users: DeletedUsers, mayContinue: () => boolean): Promise<boolean> {
    const { clock, parts } = this.#options;
    while (parts.shared.database.now() < users.newestRequestAt + settleMs) {
      if (!mayContinue()) return false;
      await sleep(settleStepMs, clock);
    }
    return true;
  }

  /** What cannot be written is lost: the only consequence is that a search does not find it. */
  async #write(): Promise<void> {
    const { parts, clock } = this.#options;
    const { shared } = parts;
    for (let entries = this.#takePending(); entries.length > 0; entries = this.#takePending()) {
      // A process that was asleep does not know of deletions meanwhile, and their users are redacted elsewhere.
      if (clock.monotonic() - this.#refreshedAt > freshMs) await this.refresh();
      const lines = entries.map((entry) => logLine(this.deletedUsers.without(entry)));
      await shared.database.query(
        `INSERT INTO ${this.#table} (at, instance, body) VALUES ($1, $2, $3)`,
        [shared.database.now(), this.#options.instance, packLines(lines)],
      );
      if (this.#writes++ % pruneEvery === 0) await this.#prune();
    }
  }

  #takePending(): EventRecord[] {
    const entries = this.#pending.splice(0, maxBlockLines);
    if (this.#pending.length === 0) this.#pendingBytes = 0;
    return entries;
  }

  async #prune(): Promise<void> {
    await this.#options.parts.shared.database.query(
      `DELETE FROM ${this.#table} WHERE id <= (
         SELECT id FROM (SELECT id, sum(octet_length(body)) OVER (ORDER BY id DESC) AS bytes FROM ${this.#table}) AS sized
         WHERE bytes > $1 ORDER BY id DESC LIMIT 1)`,
      [maxLogBytes],
    );
  }

  async *#blocks(): AsyncGenerator<string[]> {
    const { database } = this.#options.parts.shared;
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const rows = await database.query<{ id: number; body: Buffer }>(
        `SELECT id, body FROM ${this.#table} WHERE id < $1 ORDER BY id DESC LIMIT $2`,
        [before, stepBlocks],
      );
      for (const { body } of rows) yield unpackLines(body);
      if (rows.length < stepBlocks) return;
      before = rows.at(-1)!.id;
    }
  }

  async #from(): Promise<number | undefined> {
    const { database } = this.#options.parts.shared;
    const [row] = await database.query<{ at: number | null }>(
      `SELECT min(at) AS at FROM ${this.#table}`,
    );
    return row?.at ?? undefined;
  }
}
