import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../clock.js';
import { DeletedUsers } from './deleted-users.js';
import type { EventRecord } from '../event-record.js';
import { logLine } from './delivery-log-entry.js';
import { redactIn, syncFolder, unfinished } from './delivery-log-redaction.js';
import { searchLog } from './delivery-log-search.js';
import type { OutcomeLog, OutcomesFound, Search } from './store-views.js';

export interface DeliveryLogOptions {
  /** Created when missing. */
  readonly folder: string;
  readonly clock: Clock;
  /** Their events before the deletion request are written without ids. Default: none. */
  readonly deletedUsers?: DeletedUsers;
  /** A new file begins after this many bytes. Default: 8 MB. */
  readonly fileBytes?: number;
  /** The oldest is deleted when there are more. Default: 16. */
  readonly maxFiles?: number;
}

const writeMs = 500;
/** Lines are dropped above this limit, when the disk is too slow. */
const maxPendingBytes = 4 * 1024 * 1024;

/** An `OutcomeLog` in NDJSON files. */
export class DeliveryLog implements OutcomeLog {
  readonly deletedUsers: DeletedUsers;
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #fileBytes: number;
  readonly #maxFiles: number;
  /** Numbers of the files, the oldest first. */
  #files: number[];
  #size: number;
  /** Begins with an empty line, since a crash may have truncated the last one. */
  #pending: string[] = [''];
  #pendingBytes = 0;
  #writing: Promise<void> = Promise.resolve();
  #cancel: (() => void) | undefined;

  constructor(options: DeliveryLogOptions) {
    const { folder, clock, fileBytes = 8 * 1024 * 1024, maxFiles = 16 } = options;
    this.deletedUsers = options.deletedUsers ?? new DeletedUsers();
    this.#folder = folder;
    this.#clock = clock;
    this.#fileBytes = fileBytes;
    this.#maxFiles = maxFiles;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    removeUnfinished(folder);
    this.#files = numbersIn(folder);
    const size = statSync(this.#current, { throwIfNoEntry: false })?.size;
    this.#size = size ?? 0;
  }

  add(entry: EventRecord): void {
    if (this.#pendingBytes > maxPendingBytes) return;
    const line = logLine(this.deletedUsers.without(entry));
    this.#pending.push(line);
    this.#pendingBytes += line.length;
    this.#cancel ??= this.#clock.after(writeMs, () => void this.flush());
  }

  /** Paths, the newest first, after pending entries are written. */
  async files(): Promise<string[]> {
    await this.flush();
    return this.#files.map((number) => this.#path(number)).reverse();
  }

  search(search: Search<EventRecord>): Promise<OutcomesFound> {
    return searchLog(this, search);
  }

  /**
   * Removes the ids of these users from all files, one after the other; entries are written between
   * them. Resolves to whether all files are done and durable.
   *
   * @throws errors of the file system; it can be called again
   */
  async redact(users: DeletedUsers, mayContinue: () => boolean): Promise<boolean> {
    for (const path of await this.files()) {
      if (!mayContinue()) return false;
      const done = this.#writing.then(() => this.#redactIn(path, users));
      this.#writing = done.catch(() => undefined);
      await done;
    }
    await syncFolder(this.#folder);
    return true;
  }

  /** Writes pending entries; errors are ignored. */
  flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  close(): void {
    this.#cancel?.();
    if (this.#pendingBytes === 0) return;
    try {
      appendFileSync(this.#current, this.#takePending(), { mode: 0o600 });
    } catch {
      // The only consequence is that a search does not find these entries.
    }
  }

  async #write(): Promise<void> {
    if (this.#pendingBytes === 0) return;
    if (this.#size >= this.#fileBytes) this.#files.push(this.#files.at(-1)! + 1);
    const text = this.#takePending();
    const path = this.#current;
    try {
      await appendFile(path, text, { mode: 0o600 });
      this.#size = statSync(path).size;
    } catch {
      // As above; bytes that were written are counted the next time.
    }
    for (const old of this.#files.splice(0, this.#files.length - this.#maxFiles)) {
      await rm(this.#path(old), { force: true }).catch(() => undefined);
    }
  }

  async #redactIn(path: string, users: DeletedUsers): Promise<void> {
    await redactIn(path, users);
    this.#size = statSync(this.#current, { throwIfNoEntry: false })?.size ?? 0;
  }

  #takePending(): string {
    const text = `${this.#pending.join('\n')}\n`;
    this.#pending = [];
    this.#pendingBytes = 0;
    return text;
  }

  get #current(): string {
    return this.#path(this.#files.at(-1)!);
  }

  #path(number: number): string {
    return join(this.#folder, `${String(number).padStart(8, '0')}.ndjson`);
  }
}

function removeUnfinished(folder: string): void {
  const names = readdirSync(folder).filter((name) => name.endsWith(unfinished));
  for (const name of names) rmSync(join(folder, name), { force: true });
}

function numbersIn(folder: string): number[] {
  const names = readdirSync(folder).filter((name) => /^\d{8}\.ndjson$/.test(name));
  const numbers = names.map((name) => parseInt(name, 10)).sort((a, b) => a - b);
  return numbers.length > 0 ? numbers : [1];
}
