import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { secret } from './data.js';
import { endRunning, run, runNode, runProgram } from './run-process.js';
import { startReceiver } from './start-receiver.js';

/** For the cases: a receiver, temporary folders, and ways to run programs against it. */
export class Workshop {
  /** `quick`, `normal` or `full`. */
  size;
  receiver;
  folder;
  program;
  secretFile;
  #folders = [];
  #toClose = [];
  #importHelp;

  static async open({ size, program }) {
    const workshop = new Workshop();
    workshop.size = size;
    workshop.program = resolve(program ?? join(import.meta.dirname, '../../bin/evfwd.js'));
    workshop.folder = workshop.makeFolder();
    workshop.secretFile = join(workshop.folder, 'secret.txt');
    writeFileSync(workshop.secretFile, `${secret}\n`);
    workshop.receiver = await startReceiver();
    return workshop;
  }

  /** Removes everything except the event files, which the next run uses again. */
  async close() {
    endRunning();
    for (const close of this.#toClose) await close();
    await this.receiver.stop();
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }

  /** Calls `close` at the end, before the folders are removed. */
  onClose(close) {
    this.#toClose.push(close);
  }

  /** A folder that is removed at the end. */
  makeFolder(parent = tmpdir()) {
    const folder = mkdtempSync(join(parent, 'evfwd-bench-'));
    this.#folders.push(folder);
    return folder;
  }

  /** One of three values, by the size of the run. */
  pick(quick, normal, full = normal) {
    return { quick, normal, full }[this.size];
  }

  /** Whether `import` has a flag. */
  importHas(flag) {
    this.#importHelp ??= execFileSync(process.execPath, [this.program, 'import', '--help'], {
      encoding: 'utf8',
    });
    return this.#importHelp.includes(`${flag} `);
  }

  /** Runs evfwd; `events` is the number of events in its input. */
  async evfwd(args, events, options = {}) {
    const result = await runNode([this.program, ...args], { folder: this.folder, ...options });
    return { ...result, events };
  }

  /** Runs a program of `bench/peers`; one that times itself prints `{"seconds":…}`. */
  async peer(name, args, events) {
    const path = join(import.meta.dirname, '../peers', `${name}.js`);
    const result = await runNode([path, ...args.map(String)], { folder: this.folder });
    return { ...result, ...ownTimes(result.stdout), events };
  }

  /** Runs any other program. */
  other(command, args, options) {
    return runProgram(command, args, options);
  }

  /** Runs a program with the least overhead, for times of milliseconds. */
  start(command, args) {
    return run(command, args);
  }

  /** Runs a sender. @throws if the receiver did not get `requests` whole requests. */
  async received(requests, send) {
    await this.receiver.reset();
    const result = await send();
    const counts = await this.receiver.counts();
    if (counts.requests < requests) {
      throw new Error(`the receiver got ${counts.requests} of ${requests} requests`);
    }
    return result;
  }
}

function ownTimes(stdout) {
  return stdout.startsWith('{') ? JSON.parse(stdout) : {};
}
