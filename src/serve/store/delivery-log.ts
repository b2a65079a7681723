import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../clock.js';
import { DeletedUsers } from './deleted-users.js';
import { logLine, type LogEntry } from './delivery-log-entry.js';
import { redactIn, syncFolder, unfinished } from './delivery-log-redaction.js';

export interface DeliveryLogOptions {
  /** Made where it is missing. */
  readonly folder: string;
  readonly clock: Clock;
  /** Of them nothing is written that came before their deletion was asked for. Default: nobody. */
  readonly deletedUsers?: DeletedUsers;
  /** A new file begins behind so many bytes. Default: 8 MB. */
  readonly fileBytes?: number;
  /** The oldest goes when there are more. Default: 16. */
  readonly maxFiles?: number;
}

const writeMs = 500;
/** Where the disk is slower than this grows, lines are left out. */
const maxPendingBytes = 4 * 1024 * 1024;

/**
 * What became of the newest events, in files of lines: for people who look for one. Nothing else
 * needs it, so a disk that is full or slow leaves gaps in it and disturbs nobody.
 */
export class DeliveryLog {
  readonly deletedUsers: DeletedUsers;
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #fileBytes: number;
  readonly #maxFiles: number;
  /** Numbers of the files, the oldest first. */
  #files: number[];
  #size: number;
  /** A crash may have cut the last line. */
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

  add(entry: LogEntry): void {
    if (this.#pendingBytes > maxPendingBytes) return;
    const line = logLine(this.deletedUsers.without(entry));
    this.#pending.push(line);
    this.#pendingBytes += line.length;
    this.#cancel ??= this.#clock.after(writeMs, () => void this.flush());
  }

  /** Paths, the newest first. What was added is in them when it resolves. */
  async files(): Promise<string[]> {
    await this.flush();
    return this.#files.map((number) => this.#path(number)).reverse();
  }

  /**
   * Takes the ids of these users out of all files, one file after the other, while others write
   * between them. Resolves with whether it came to its end, and is
   * durable then.
   *
   * @throws what the file system throws; then it can be called again
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

  /** Writes what was gathered, as far as it can be written. */
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
      appendFileSync(this.#current, this.#taken(), { mode: 0o600 });
    } catch {
      // What is not in the trail is not found by a search; that is all.
    }
  }

  async #write(): Promise<void> {
    if (this.#pendingBytes === 0) return;
    if (this.#size >= this.#fileBytes) this.#files.push(this.#files.at(-1)! + 1);
    const text = this.#taken();
    const path = this.#current;
    try {
      await appendFile(path, text, { mode: 0o600 });
      this.#size = statSync(path).size;
    } catch {
      // As above; what has got into the file counts from the next time on.
    }
    for (const old of this.#files.splice(0, this.#files.length - this.#maxFiles)) {
      await rm(this.#path(old), { force: true }).catch(() => undefined);
    }
  }

  async #redactIn(path: string, users: DeletedUsers): Promise<void> {
    await redactIn(path, users);
    this.#size = statSync(this.#current, { throwIfNoEntry: false })?.size ?? 0;
  }

  #taken(): string {
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
