import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { makeFolder } from '../../storage/make-folder.js';
import { writeAt } from '../../storage/write-at.js';
import { blockLength, eventsOfKept, type KeptEvent } from './block.js';
import { fileNames, keptFilesOf, type KeptFile } from './file-names.js';
import { countEvents, indexEntries } from './user-index.js';

/** A file, and what it holds. */
export interface Segment extends KeptFile {
  /** With its index. */
  bytes: number;
}

/** The file that is appended to. */
interface Open {
  readonly segment: Segment;
  readonly log: number;
  readonly index: number;
  logBytes: number;
  indexBytes: number;
}

/**
 * The kept events with the same retention, in files that are appended to and deleted as a whole. Each has an index with
 * the user and the block of every event.
 */
export class KeptSeries {
  readonly retentionMs: number;
  readonly segments: Segment[];
  readonly #folder: string;
  #open: Open | undefined;
  /** Where the current transaction began. */
  #mark: { readonly logBytes: number; readonly indexBytes: number } | undefined;
  #isDirty = false;

  /** Reads what is there; the end of a write that was cut off is removed. @throws what the system throws */
  constructor(folder: string, retentionMs: number) {
    this.#folder = folder;
    this.retentionMs = retentionMs;
    this.segments = keptFilesOf(folder, retentionMs).map((file) => ({
      ...file,
      bytes: sizeOf(file.log) + sizeOf(file.index),
    }));
    const last = this.segments.at(-1);
    if (last) repair(last);
  }

  /** When the newest event of a segment came, at the latest: by the start of every later segment, and by now. */
  endOf(at: number, now: number): number {
    return Math.min(now, ...this.segments.slice(at + 1).map(({ startedAt }) => startedAt));
  }

  /** Begins another file when the current one is full, or old. @throws what the system throws */
  rotate(now: number, maxBytes: number, spanMs: number): void {
    const { segment } = this.#open ?? {};
    if (segment && segment.bytes < maxBytes && isWithin(segment, now, spanMs)) return;
    this.#close();
    const number = (this.segments.at(-1)?.number ?? 0) + 1;
    makeFolder(this.#folder);
    const file = fileNames(this.#folder, number, now, this.retentionMs);
    const created = { ...file, bytes: 0 };
    const [log, index] = [openSync(file.log, 'wx', 0o600), openSync(file.index, 'wx', 0o600)];
    this.segments.push(created);
    this.#open = { segment: created, log, index, logBytes: 0, indexBytes: 0 };
  }

  /** Whether the current file is older than this. */
  isStale(now: number, spanMs: number): boolean {
    return this.#open !== undefined && !isWithin(this.#open.segment, now, spanMs);
  }

  /** Closes the current file; the next event begins another one. */
  close(): void {
    this.#close();
  }

  /** Within a transaction, after `rotate`. @throws what the system throws; nothing is written then */
  append(blocks: readonly (readonly [block: Buffer, events: readonly KeptEvent[]])[]): void {
    const open = this.#open!;
    const { segment } = open;
    this.#mark = { ...open };
    this.#isDirty = true;
    try {
      let at = open.logBytes;
      const entries = blocks.map(([block, events]) => {
        const index = indexEntries(events, at);
        at += block.length;
        return index;
      });
      const index = Buffer.concat(entries);
      writeAt(open.log, Buffer.concat(blocks.map(([block]) => block)), open.logBytes);
      writeAt(open.index, index, open.indexBytes);
      open.logBytes = at;
      open.indexBytes += index.length;
      segment.bytes = open.logBytes + open.indexBytes;
    } catch (error) {
      this.rolledBack();
      throw error;
    }
  }

  committed(): void {
    this.#mark = undefined;
  }

  rolledBack(): void {
    const [open, mark] = [this.#open, this.#mark];
    this.#mark = undefined;
    if (!open || !mark) return;
    ftruncateSync(open.log, mark.logBytes);
    ftruncateSync(open.index, mark.indexBytes);
    Object.assign(open, { logBytes: mark.logBytes, indexBytes: mark.indexBytes });
    open.segment.bytes = mark.logBytes + mark.indexBytes;
  }

  /** Deletes a file, also the current one. Returns how many events it had. */
  drop(segment: Segment): number {
    if (this.#open && this.isOpen(segment)) this.#release(this.#open);
    const events = countEventsInFile(segment.index);
    rmSync(segment.log, { force: true });
    rmSync(segment.index, { force: true });
    this.segments.splice(this.segments.indexOf(segment), 1);
    return events;
  }

  isOpen(segment: Segment): boolean {
    return segment === this.#open?.segment;
  }

  /** Flushes what was appended, without waiting; errors show at the next write. */
  sync(): void {
    if (!this.#open || !this.#isDirty) return;
    this.#isDirty = false;
    fdatasync(this.#open.log, () => undefined);
  }

  #close(): void {
    if (!this.#open) return;
    const { log, index, segment } = this.#open;
    try {
      fdatasyncSync(log);
      // After a power cut only the index of the newest file is repaired.
      fdatasyncSync(index);
    } finally {
      this.#release(this.#open);
    }
    if (segment.bytes === 0) this.drop(segment);
  }

  #release({ log, index }: Open): void {
    this.#open = undefined;
    this.#mark = undefined;
    closeSync(log);
    closeSync(index);
  }
}

function isWithin({ startedAt }: Segment, now: number, spanMs: number): boolean {
  return startedAt <= now && now < startedAt + spanMs;
}

/** How many events the index file at `path` has, without removed ones; 0 if it cannot be read. */
export function countEventsInFile(path: string): number {
  try {
    return countEvents(readFileSync(path));
  } catch {
    return 0;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Cuts off an incomplete block at the end of a file, and writes its index anew. */
function repair(segment: Segment): void {
  const bytes = readFileSync(segment.log);
  const indexes: Buffer[] = [];
  let at = 0;
  for (;;) {
    const rest = bytes.subarray(at);
    const length = blockLength(rest);
    if (length === undefined) break;
    indexes.push(indexEntries(eventsOfKept(rest.subarray(0, length)), at));
    at += length;
  }
  const index = Buffer.concat(indexes);
  const [log, file] = [openSync(segment.log, 'r+'), openSync(segment.index, 'w', 0o600)];
  try {
    if (at < bytes.length) ftruncateSync(log, at);
    writeAt(file, index, 0);
  } finally {
    closeSync(log);
    closeSync(file);
  }
  segment.bytes = at + index.length;
}
