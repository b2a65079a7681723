import { join } from 'node:path';
import type { Clock } from '../../clock.js';
import { StateError } from '../../errors.js';
import { haveSameItems } from '../../collections/same-items.js';
import { isDiskFull } from '../../storage/state-errors.js';
import { keptBlock, type KeptEvent } from './block.js';
import { filesPerRetention, retentionsIn, spanOf } from './file-names.js';
import { freeBytesAt, type FreeBytes } from './free-bytes.js';
import type { KeptEvents, ReadBlock, ReadKeptOptions } from './kept-events.js';
import { readKept } from './reader.js';
import { removeUsersFromFiles } from './remove-users.js';
import { KeptSeries, type Segment } from './series.js';
import {
  keepsNothing,
  retentionNow,
  retentionOf,
  retentionsOf,
  type KeepSettings,
} from './settings.js';
import type { DeletedUser } from '../store/deleted-users.js';

export interface KeptFilesOptions {
  /** Created when something is kept. */
  readonly folder: string;
  readonly clock: Clock;
  /** This many events were dropped before the end of their retention, for newer ones or since the disk was full. */
  readonly onDropped: (events: number) => void;
  /** Accepted events could not be kept. */
  readonly onFailure: (error: unknown) => void;
  /** Default: `freeBytesAt`. */
  readonly freeBytes?: FreeBytes | undefined;
}

/** The limits of a block, as in the queue. */
const maxBlock = { events: 128, bytes: 64 * 1024 };
/** The size of a file. Files are dropped as a whole. */
const segmentBytes = 16 * 1024 * 1024;
const sweepMs = 60_000;
const syncMs = 1_000;
/** With less free space on the disk, the oldest kept events are dropped. */
const scarceBytes = 32 * 1024 * 1024;

/**
 * Kept events in files beside the queue, which they do not slow. They are written with the transaction that accepts the
 * events, and flushed once a second. A power cut may lose those of the last second, which were delivered or still wait.
 */
export class KeptFiles implements KeptEvents {
  readonly #folder: string;
  readonly #options: KeptFilesOptions;
  readonly #series = new Map<number, KeptSeries>();
  #settings: KeepSettings = keepsNothing;
  #pending: KeptEvent[] = [];
  #cancelSweep: (() => void) | undefined;
  #cancelSync: (() => void) | undefined;
  /** Whether files were deleted since `onDeleted` was called, and when that was, by the monotonic clock. */
  #hasDeleted = false;
  #notifiedAt = -Infinity;
  /** Files were deleted; the queue may have the bytes of their events still. Called at most once in the span of a file. */
  onDeleted: () => void = () => undefined;

  /** @throws what the system throws */
  constructor(options: KeptFilesOptions) {
    this.#options = options;
    this.#folder = options.folder;
    for (const ms of retentionsIn(options.folder)) this.#seriesOf(ms);
  }

  /** @throws StateError when the folder cannot be used */
  static open(options: KeptFilesOptions): KeptFiles {
    try {
      return new KeptFiles(options);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      const message = `${options.folder}: cannot be used (${code}); make it readable and writable`;
      throw new StateError(message, { cause });
    }
  }

  configure(settings: KeepSettings): void {
    this.#settings = settings;
    // Nothing more is written for these retentions.
    for (const series of this.#series.values())
      if (!retentionsOf(settings).includes(series.retentionMs)) series.close();
    this.#sweep();
  }

  get settings(): KeepSettings {
    return this.#settings;
  }

  /** The size of all files, in bytes. */
  get bytes(): number {
    // No list is made: this is called at each commit, and there may be hundreds of files.
    let sum = 0;
    for (const { segments } of this.#series.values())
      for (const { bytes } of segments) sum += bytes;
    return sum;
  }

  /** Within a transaction: an event was accepted. */
  add(event: KeptEvent): void {
    // A kept deletion request would keep the id of its user.
    if (event.event.type === 'delete') return;
    if (retentionOf(this.#settings, event.destinations) > 0) this.#pending.push(event);
  }

  /** At the end of a transaction. Events that cannot be written are not kept, but accepted all the same. */
  write(): void {
    if (this.#pending.length === 0) return;
    const pending = this.#pending;
    this.#pending = [];
    const byRetention = new Map<number, KeptEvent[]>();
    for (const event of pending) {
      const ms = retentionOf(this.#settings, event.destinations);
      const same = byRetention.get(ms);
      if (same) same.push(event);
      else byRetention.set(ms, [event]);
    }
    for (const [ms, events] of byRetention) this.#writeTo(this.#seriesOf(ms), events);
    this.#dropAbove(this.#settings.maxBytes);
    this.#cancelSync ??= this.#after(syncMs, () => {
      this.#cancelSync = undefined;
      for (const series of this.#series.values()) series.sync();
    });
  }

  committed(): void {
    for (const series of this.#series.values()) series.committed();
  }

  rolledBack(): void {
    this.#pending = [];
    for (const series of this.#series.values()) series.rolledBack();
    this.makeRoom();
  }

  /** Outside of a transaction: drops the oldest file if the disk is full. Returns whether there is more space now. */
  makeRoom(): boolean {
    const { freeBytes = freeBytesAt } = this.#options;
    return freeBytes(this.#folder) < scarceBytes && this.#dropOldest({ includesOpen: true });
  }

  read(options?: ReadKeptOptions): AsyncIterable<ReadBlock> {
    return readKept(this.#folder, options);
  }

  async remove(users: readonly DeletedUser[], mayContinue: () => boolean): Promise<boolean> {
    return removeUsersFromFiles(this.#folder, users, mayContinue);
  }

  close(): void {
    this.#cancelSweep?.();
    this.#cancelSync?.();
    for (const series of this.#series.values()) series.close();
  }

  #writeTo(series: KeptSeries, events: readonly KeptEvent[]): void {
    const blocks = splitIntoBlocks(events).map((block) => [keptBlock(block), block] as const);
    for (;;) {
      try {
        const now = this.#options.clock.now();
        series.rotate(now, this.#segmentBytes, spanOf(series.retentionMs));
        series.append(blocks);
        return;
      } catch (error) {
        if (isDiskFull(error) && this.#dropOldest({ includesOpen: true })) continue;
        this.#options.onDropped(events.length);
        this.#options.onFailure(error);
        return;
      }
    }
  }

  get #segmentBytes(): number {
    return Math.min(segmentBytes, Math.ceil(this.#settings.maxBytes / filesPerRetention));
  }

  #seriesOf(retentionMs: number): KeptSeries {
    let series = this.#series.get(retentionMs);
    if (!series) {
      series = new KeptSeries(join(this.#folder, String(retentionMs)), retentionMs);
      this.#series.set(retentionMs, series);
    }
    return series;
  }

  /** Deletes what is older than its retention. */
  #sweep(): void {
    this.#cancelSweep?.();
    const now = this.#options.clock.now();
    for (const series of this.#series.values()) {
      if (series.isStale(now, spanOf(series.retentionMs))) series.close();
      const ends = series.segments.map((segment, at) => [segment, series.endOf(at, now)] as const);
      for (const [segment, end] of ends) {
        if (this.#isExpired(series, segment, end, now)) this.#drop(series, segment);
      }
    }
    this.#dropAbove(this.#settings.maxBytes);
    this.#notifyDeleted();
    this.#cancelSweep = this.#after(sweepMs, () => this.#sweep());
  }

  #drop(series: KeptSeries, segment: Segment): number {
    this.#hasDeleted = true;
    return series.drop(segment);
  }

  #notifyDeleted(): void {
    const now = this.#options.clock.monotonic();
    if (!this.#hasDeleted || now - this.#notifiedAt < spanOf(this.#settings.retentionMs)) return;
    this.#hasDeleted = false;
    this.#notifiedAt = now;
    this.onDeleted();
  }

  /** A file is as old as its last event, which came before the next file began, and within the span of its own. */
  #isExpired(series: KeptSeries, segment: Segment, end: number, now: number): boolean {
    const retentionMs = retentionNow(this.#settings, series.retentionMs);
    const last = Math.min(end, segment.startedAt + spanOf(series.retentionMs));
    return last <= now - retentionMs;
  }

  #dropAbove(maxBytes: number): void {
    let bytes = this.bytes;
    while (bytes > maxBytes && this.#dropOldest()) bytes = this.bytes;
  }

  /**
   * Drops the oldest file that is not open; with `includesOpen`, if there is none, an open one with events. Returns
   * whether it dropped one.
   */
  #dropOldest({ includesOpen = false } = {}): boolean {
    const byAge = this.#segments().sort(([, one], [, other]) => one.startedAt - other.startedAt);
    const oldest =
      byAge.find(([series, segment]) => !series.isOpen(segment)) ??
      // An empty one gives no space.
      (includesOpen ? byAge.find(([, { bytes }]) => bytes > 0) : undefined);
    if (!oldest) return false;
    const [series, segment] = oldest;
    this.#options.onDropped(this.#drop(series, segment));
    return true;
  }

  #segments(): (readonly [KeptSeries, Segment])[] {
    return [...this.#series.values()].flatMap((series) =>
      series.segments.map((segment) => [series, segment] as const),
    );
  }

  #after(ms: number, work: () => void): () => void {
    return this.#options.clock.after(ms, work, { keepsAlive: false });
  }
}

/** Events of one block went to the same destinations. */
function splitIntoBlocks(events: readonly KeptEvent[]): KeptEvent[][] {
  const blocks: KeptEvent[][] = [];
  let bytes = 0;
  for (const event of events) {
    const block = blocks.at(-1);
    const { length } = event.event.bytes;
    const hasRoom = block && block.length < maxBlock.events && bytes + length <= maxBlock.bytes;
    if (hasRoom && haveSameItems(block[0]!.destinations, event.destinations)) {
      block.push(event);
      bytes += length;
    } else {
      blocks.push([event]);
      bytes = length;
    }
  }
  return blocks;
}
