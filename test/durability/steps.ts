import { isAbsolute, join } from 'node:path';
import { argumentsOf, descriptorOf, stringsOf, type Call } from './trace.js';

/** What a program does to a file or a socket. `at` is the position in its trace. */
export type Step = FileStep | SocketStep;

export type FileStep = { readonly at: number } & (
  | { readonly kind: 'create'; readonly path: string }
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly offset: number | 'end';
      readonly bytes: Buffer;
    }
  | { readonly kind: 'truncate'; readonly path: string; readonly size: number }
  /** When a sync has returned, everything written before it began is durable. */
  | { readonly kind: 'sync'; readonly path: string; readonly id: number }
  | { readonly kind: 'synced'; readonly path: string; readonly id: number }
  | { readonly kind: 'rename' | 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string }
);

export interface SocketStep {
  readonly at: number;
  /** Sent bytes may have arrived when the call began; received bytes are available when it returned. */
  readonly kind: 'sent' | 'received';
  readonly socket: string;
  readonly bytes: Buffer;
}

/** The calls that change files or communicate with a peer; `stepsOf` refuses those it does not model. */
export const tracedCalls = [
  ...['open', 'openat', 'creat', 'mmap', 'lseek'],
  ...['read', 'readv', 'recvfrom', 'recvmsg'],
  ...['write', 'writev', 'sendto', 'sendmsg', 'pwrite64', 'pwritev', 'pwritev2'],
  ...['truncate', 'ftruncate', 'fallocate', 'copy_file_range', 'sendfile'],
  ...[
    'fsync',
    'fdatasync',
    'rename',
    'renameat',
    'renameat2',
    'link',
    'linkat',
    'unlink',
    'unlinkat',
  ],
];

/** Turns calls into steps: those on files within `folder`, and those on sockets. */
export function stepsOf(calls: readonly Call[], folder: string, cwd: string): Step[] {
  const reader = new StepReader(folder, cwd);
  for (const call of calls) reader.read(call);
  return reader.steps.sort((a, b) => a.at - b.at);
}

interface OpenFile {
  readonly appends: boolean;
  offset: number;
}

class StepReader {
  readonly steps: Step[] = [];
  readonly #folder: string;
  readonly #cwd: string;
  readonly #files = new Map<number, OpenFile>();
  #syncs = 0;

  constructor(folder: string, cwd: string) {
    this.#folder = folder;
    this.#cwd = cwd;
  }

  read(call: Call): void {
    if (call.result < 0) return;
    switch (call.name) {
      case 'open':
      case 'openat':
      case 'creat': {
        this.#opened(call);
        return;
      }
      case 'lseek': {
        this.#moved(call);
        return;
      }
      case 'read':
      case 'readv':
      case 'recvfrom':
      case 'recvmsg': {
        this.#received(call);
        return;
      }
      case 'write':
      case 'writev':
      case 'sendto':
      case 'sendmsg': {
        this.#written(call);
        return;
      }
      case 'pwrite64': {
        this.#writtenAt(call);
        return;
      }
      case 'ftruncate': {
        this.#truncated(call);
        return;
      }
      case 'fsync':
      case 'fdatasync': {
        this.#synced(call);
        return;
      }
      case 'rename':
      case 'renameat':
      case 'renameat2': {
        this.#named('rename', call);
        return;
      }
      case 'link':
      case 'linkat': {
        this.#named('link', call);
        return;
      }
      case 'unlink':
      case 'unlinkat': {
        this.#removed(call);
        return;
      }
      default: {
        this.#refuse(call);
        return;
      }
    }
  }

  #opened(call: Call): void {
    const path = this.#pathsOf(call)[0]!;
    if (!this.#isWithin(path)) return;
    const { name, args, result: fd, endedAt: at } = call;
    if (/O_D?SYNC/.test(args))
      throw new Error(`${path}: was opened with O_SYNC, which is not modeled`);
    this.#files.set(fd, { appends: args.includes('O_APPEND'), offset: 0 });
    const creates = name === 'creat' || args.includes('O_CREAT');
    if (creates) this.steps.push({ at, kind: 'create', path });
    if (name === 'creat' || args.includes('O_TRUNC'))
      this.steps.push({ at, kind: 'truncate', path, size: 0 });
  }

  #moved(call: Call): void {
    const { fd, target } = descriptorOf(call);
    const file = this.#files.get(fd);
    if (file && this.#isWithin(target)) file.offset = call.result;
  }

  #received(call: Call): void {
    const { fd, target } = descriptorOf(call);
    if (isSocket(target)) {
      const bytes = Buffer.concat(stringsOf(call)).subarray(0, call.result);
      this.steps.push({ at: call.endedAt, kind: 'received', socket: target, bytes });
    } else if (this.#isWithin(target)) {
      const file = this.#files.get(fd);
      if (file) file.offset += call.result;
    }
  }

  #written(call: Call): void {
    const { fd, target } = descriptorOf(call);
    const isFile = this.#isWithin(target);
    if (!isFile && !isSocket(target)) return;
    const bytes = Buffer.concat(stringsOf(call)).subarray(0, call.result);
    if (!isFile) {
      this.steps.push({ at: call.startedAt, kind: 'sent', socket: target, bytes });
      return;
    }
    const file = this.#files.get(fd);
    if (!file) throw new Error(`${target}: was written to without being opened`);
    const offset = file.appends ? 'end' : file.offset;
    file.offset += bytes.length;
    this.steps.push({ at: call.endedAt, kind: 'write', path: target, offset, bytes });
  }

  #writtenAt(call: Call): void {
    const { target: path } = descriptorOf(call);
    if (!this.#isWithin(path)) return;
    const bytes = Buffer.concat(stringsOf(call)).subarray(0, call.result);
    const offset = Number(argumentsOf(call)[3]);
    this.steps.push({ at: call.endedAt, kind: 'write', path, offset, bytes });
  }

  #truncated(call: Call): void {
    const { target: path } = descriptorOf(call);
    if (!this.#isWithin(path)) return;
    const size = Number(argumentsOf(call)[1]);
    this.steps.push({ at: call.endedAt, kind: 'truncate', path, size });
  }

  #synced(call: Call): void {
    const { target: path } = descriptorOf(call);
    if (!this.#isWithin(path)) return;
    const id = ++this.#syncs;
    this.steps.push({ at: call.startedAt, kind: 'sync', path, id });
    this.steps.push({ at: call.endedAt, kind: 'synced', path, id });
  }

  #named(kind: 'rename' | 'link', call: Call): void {
    const [path, to] = this.#pathsOf(call) as [string, string];
    const isWithin = [path, to].map((each) => this.#isWithin(each));
    if (isWithin[0] !== isWithin[1])
      throw new Error(`${path}: was moved into the state, or out of it`);
    if (isWithin[0]) this.steps.push({ at: call.endedAt, kind, path, to });
  }

  #removed(call: Call): void {
    const path = this.#pathsOf(call)[0]!;
    if (this.#isWithin(path)) this.steps.push({ at: call.endedAt, kind: 'remove', path });
  }

  /** Throws if a call that is not modeled may change a file of the state. */
  #refuse(call: Call): void {
    if (call.name === 'mmap' && !/PROT_WRITE.*MAP_SHARED/.test(call.args)) return;
    const targets = [...call.args.matchAll(/<((?:\\x[0-9a-f]{2})+)>/g)].map(([, hex = '']) =>
      Buffer.from(hex.replaceAll('\\x', ''), 'hex').toString(),
    );
    if (targets.some((path) => this.#isWithin(path)))
      throw new Error(`${call.name} was used on a file of the state, which is not modeled`);
  }

  #pathsOf(call: Call): string[] {
    return stringsOf(call).map((bytes) => {
      const path = bytes.toString();
      return isAbsolute(path) ? join(path) : join(this.#cwd, path);
    });
  }

  #isWithin(path: string): boolean {
    return path === this.#folder || path.startsWith(`${this.#folder}/`);
  }
}

function isSocket(target: string): boolean {
  return target.startsWith('socket:');
}
