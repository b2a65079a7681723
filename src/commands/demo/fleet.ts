import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Io } from '../shared/command.js';
import { storeUrl, type StoreFlags } from '../shared/store-flags.js';

export interface FleetOptions {
  readonly flags: StoreFlags;
  readonly io: Io;
  /** Of the tables in the store. */
  readonly schema: string;
  readonly secret: string;
  /** Where the processes run. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** The demo was interrupted. */
export class Interrupted extends Error {}

const pollMs = 20;

/** Processes of this program, with the store, the secret, and no other settings of its user. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #all: Child[] = [];

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  start(args: readonly string[]): Child {
    const { flags, io, schema, secret, folder } = this.#options;
    const own = Object.entries(io.env).filter(([name]) => !name.startsWith('EVFWD_'));
    // Not as a flag: a URL may have a password.
    const env = {
      ...Object.fromEntries(own),
      ...{ EVFWD_STORE: storeUrl(flags, io)!, EVFWD_SECRET: secret },
    };
    const ca = flags.storeCa === undefined ? [] : ['--store-ca', resolve(io.cwd, flags.storeCa)];
    const command = [process.argv[1]!, ...args, '--store-schema', schema, ...ca];
    // A group of its own: Ctrl-C is for the demo, which ends them.
    const child = new Child(spawn(process.execPath, command, { cwd: folder, env, detached: true }));
    this.#all.push(child);
    return child;
  }

  /** @throws Interrupted */
  async until(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      if (this.#options.signal.aborted) throw new Interrupted();
      await wait(pollMs);
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#all.map((child) => child.kill()));
  }
}

export class Child {
  /** What it has printed on standard error. */
  stderr = '';
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout!.resume();
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
  }

  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  get hasEnded(): boolean {
    return this.exitCode !== null || this.#child.signalCode !== null;
  }

  async kill(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
