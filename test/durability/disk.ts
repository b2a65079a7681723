import { dirname } from 'node:path';
import type { FileStep } from './steps.js';

export interface DiskOptions {
  /** Syncs do nothing, as on a faulty disk; to show that a check would detect that. */
  readonly ignoresSync?: boolean;
}

/** What is left after a cut: only synced data, or also some unsynced data, at random. */
export type Survival = 'synced only' | { readonly random: () => number };

/** The unit of atomic writes of a disk. */
const sectorBytes = 512;

/** Files by their path. */
export type Image = ReadonlyMap<string, Buffer>;

/**
 * A model of files and of what survives a power cut.
 *
 * Contents: after a sync has returned, everything written before it began survives. Any sector of the
 * rest may survive or not. A write after a hole leaves zeros in the hole.
 *
 * Names: as on journaling file systems (ext4, XFS), changes of names reach the disk in order, and a synced
 * file survives under its name. Other changes of names survive after a sync of the folder.
 */
export class Disk {
  readonly #ignoresSync: boolean;
  readonly #names = new Map<string, Inode>();
  readonly #changes: NameChange[] = [];
  /** The number of writes and name changes when each pending sync began. */
  readonly #syncing = new Map<
    number,
    { readonly inode?: Inode; readonly writes: number; readonly names: number }
  >();

  /** `initial` was on the disk before the program started. */
  constructor(initial: Image, { ignoresSync = false }: DiskOptions = {}) {
    this.#ignoresSync = ignoresSync;
    for (const [path, bytes] of initial) {
      const inode = new Inode(bytes);
      this.#names.set(path, inode);
      this.#changes.push({ set: [[path, inode]], isDurable: true });
    }
  }

  apply(step: FileStep): void {
    switch (step.kind) {
      case 'create':
        if (!this.#names.has(step.path)) this.#rename([[step.path, new Inode()]]);
        return;
      case 'write': {
        this.#inode(step.path).write(step.offset, step.bytes);
        return;
      }
      case 'truncate': {
        this.#inode(step.path).truncate(step.size);
        return;
      }
      case 'sync': {
        this.#beginSync(step.path, step.id);
        return;
      }
      case 'synced': {
        this.#endSync(step.path, step.id);
        return;
      }
      case 'rename': {
        this.#rename([
          [step.path, undefined],
          [step.to, this.#inode(step.path)],
        ]);
        return;
      }
      case 'link': {
        this.#rename([[step.to, this.#inode(step.path)]]);
        return;
      }
      case 'remove': {
        this.#rename([[step.path, undefined]]);
        return;
      }
    }
  }

  /** What is on the disk when the power is cut now. */
  cut(survival: Survival): Image {
    const isRandom = survival !== 'synced only';
    const kept = isRandom ? Math.floor(survival.random() * (this.#changes.length + 1)) : 0;
    const names = new Map<string, Inode>();
    this.#changes.forEach(({ set, isDurable }, index) => {
      if (!isDurable && index >= kept) return;
      for (const [path, inode] of set) {
        if (inode) names.set(path, inode);
        else names.delete(path);
      }
    });
    const contents = new Map<Inode, Buffer>();
    for (const inode of new Set(names.values())) {
      contents.set(inode, isRandom ? inode.torn(survival.random) : inode.synced);
    }
    return new Map([...names].map(([path, inode]) => [path, contents.get(inode)!]));
  }

  #rename(set: NameChange['set']): void {
    for (const [path, inode] of set) {
      if (inode) this.#names.set(path, inode);
      else this.#names.delete(path);
    }
    this.#changes.push({ set, isDurable: false });
  }

  #beginSync(path: string, id: number): void {
    const inode = this.#names.get(path);
    const names = this.#changes.length;
    this.#syncing.set(id, { ...(inode && { inode }), writes: inode?.writes ?? 0, names });
  }

  #endSync(path: string, id: number): void {
    const begun = this.#syncing.get(id);
    this.#syncing.delete(id);
    if (!begun || this.#ignoresSync) return;
    const { inode, writes, names } = begun;
    inode?.sync(writes);
    for (const change of this.#changes.slice(0, names)) {
      const isOf = ([of, to]: NameChange['set'][number]): boolean =>
        inode ? to === inode : dirname(of) === path;
      change.isDurable ||= change.set.some(isOf);
    }
  }

  #inode(path: string): Inode {
    const inode = this.#names.get(path);
    if (!inode) throw new Error(`${path}: is written to, and does not exist`);
    return inode;
  }
}

/** An atomic change of names; undefined removes one. */
interface NameChange {
  readonly set: readonly (readonly [string, Inode | undefined])[];
  isDurable: boolean;
}

type Write = { readonly offset: number; readonly bytes: Buffer } | { readonly size: number };

/** The content of a file: what is durable, and the writes since then. */
class Inode {
  readonly #durable: Content;
  #pending: Write[] = [];
  #synced = 0;
  #size: number;

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#durable = new Content(bytes);
    this.#size = bytes.length;
  }

  /** How many writes there were. */
  get writes(): number {
    return this.#synced + this.#pending.length;
  }

  get synced(): Buffer {
    return Buffer.from(this.#durable.bytes);
  }

  write(offset: number | 'end', bytes: Buffer): void {
    const from = offset === 'end' ? this.#size : offset;
    this.#pending.push({ offset: from, bytes });
    this.#size = Math.max(this.#size, from + bytes.length);
  }

  truncate(size: number): void {
    this.#pending.push({ size });
    this.#size = size;
  }

  /** Makes the first `writes` writes durable. */
  sync(writes: number): void {
    const count = Math.max(0, writes - this.#synced);
    for (const write of this.#pending.slice(0, count)) this.#durable.apply(write);
    this.#pending = this.#pending.slice(count);
    this.#synced += count;
  }

  /** The durable content, with none, some or all of the other sectors. */
  torn(random: () => number): Buffer {
    const share = [0, 0.2, 0.5, 0.8, 1][Math.floor(random() * 5)]!;
    const content = new Content(this.#durable.bytes);
    for (const write of this.#pending) {
      for (const piece of sectorsOf(write)) if (random() < share) content.apply(piece);
    }
    return content.bytes;
  }
}

/** Splits a write into the parts that reach the disk separately. */
function sectorsOf(write: Write): Write[] {
  if ('size' in write) return [write];
  const pieces: Write[] = [];
  const end = write.offset + write.bytes.length;
  for (let from = write.offset; from < end;) {
    const to = Math.min(end, (Math.floor(from / sectorBytes) + 1) * sectorBytes);
    pieces.push({
      offset: from,
      bytes: write.bytes.subarray(from - write.offset, to - write.offset),
    });
    from = to;
  }
  return pieces;
}

/** A growing buffer. */
class Content {
  #buffer: Buffer;
  #size: number;

  constructor(bytes: Buffer) {
    this.#buffer = Buffer.from(bytes);
    this.#size = bytes.length;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  apply(write: Write): void {
    if ('size' in write) {
      this.#resize(write.size);
    } else {
      const { offset, bytes } = write;
      if (offset + bytes.length > this.#size) this.#resize(offset + bytes.length);
      bytes.copy(this.#buffer, offset);
    }
  }

  #resize(size: number): void {
    if (size > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(size, this.#buffer.length * 2));
      this.bytes.copy(larger);
      this.#buffer = larger;
    } else if (size > this.#size) {
      this.#buffer.fill(0, this.#size, size);
    }
    this.#size = size;
  }
}
