import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { afterEachTest } from '../helpers/after-each.js';
import { cli, ended, start, type CliResult } from '../helpers/cli.js';
import type { PostgresServer } from '../helpers/postgres.js';

/** A worker or planner that a test can kill, freeze and wake up. */
export interface FleetProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<CliResult>;
  /** Sends a signal and waits for the end. */
  readonly stop: (signal: NodeJS.Signals) => Promise<CliResult>;
  /** Resolves once it has printed this text, on either stream. */
  readonly says: (text: string) => Promise<void>;
  readonly stderr: () => string;
}

/** The processes of one test, which share a PostgreSQL; all of them end with the test. */
export class Fleet {
  readonly workers: FleetProcess[] = [];
  readonly #server: PostgresServer;
  readonly #cwd: string;
  readonly #env: Record<string, string>;

  /** `env` is of all processes: secrets, for example. */
  constructor(server: PostgresServer, cwd: string, env: Record<string, string> = {}) {
    this.#server = server;
    this.#cwd = cwd;
    this.#env = { EVFWD_STORE: server.url, ...env };
  }

  /** Starts workers; resolves once each has said that it is ready. */
  async startWorkers(count: number, args: readonly string[] = []): Promise<FleetProcess[]> {
    const started = Array.from({ length: count }, () => this.startWorker(args));
    await Promise.all(started.map(({ says }) => says('worker ')));
    return started;
  }

  startWorker(args: readonly string[] = [], env: Record<string, string> = {}): FleetProcess {
    const worker = this.#start(['worker', ...args], this.#cwd, env);
    this.workers.push(worker);
    return worker;
  }

  /** Starts `import … --store`. */
  plan(args: readonly string[], cwd = this.#cwd, env: Record<string, string> = {}): FleetProcess {
    return this.#start(['import', ...args, '--json'], cwd, env);
  }

  /** Plans without waiting; resolves with the id of the run. */
  async detach(args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(['import', ...args, '--detach']);
    if (code !== 0) throw new Error(`planning ended with ${code}: ${stderr}`);
    return stdout.trim();
  }

  /** Runs a command to its end. */
  run(args: readonly string[]): Promise<CliResult> {
    return cli(args, { cwd: this.#cwd, env: this.#env });
  }

  /** `runs <action> <id> --json`, parsed: the last line of standard output. */
  async runs(...args: readonly string[]): Promise<RunLine> {
    const { stdout, stderr } = await this.run(['runs', ...args, '--json']);
    const last = stdout.trim().split('\n').at(-1);
    if (!last) throw new Error(`runs ${args.join(' ')} printed nothing; standard error: ${stderr}`);
    return JSON.parse(last) as RunLine;
  }

  /** Ids of all runs in the store, the oldest first. */
  async runIds(): Promise<string[]> {
    const { stdout } = await this.run(['runs', 'list', '--json']);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => (JSON.parse(line) as RunLine).id);
  }

  /** Kills a worker as the kernel does and starts another in its place. */
  async replace(worker: FleetProcess, args: readonly string[] = []): Promise<void> {
    await worker.stop('SIGKILL');
    this.workers.splice(this.workers.indexOf(worker), 1);
    this.startWorker(args);
  }

  /** SIGTERM to all workers; resolves with how each ended. */
  async stopWorkers(): Promise<CliResult[]> {
    return Promise.all(this.workers.splice(0).map((worker) => worker.stop('SIGTERM')));
  }

  get server(): PostgresServer {
    return this.#server;
  }

  #start(args: readonly string[], cwd: string, env: Record<string, string>): FleetProcess {
    const child = start(args, { cwd, env: { ...this.#env, ...env } });
    child.stdin.end();
    running.add(child);
    let stderr = '';
    let printed = '';
    child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data: Buffer) => (printed += data.toString()));
    }
    const end = ended(child);
    void end.then(() => running.delete(child));
    const says = (text: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (printed.includes(text)) resolve();
        };
        check();
        child.stdout.on('data', check);
        child.stderr.on('data', check);
        void end.then(() => {
          reject(new Error(`ended without saying "${text}": ${stderr}`));
        });
      });
    return {
      child,
      ended: end,
      says,
      stderr: () => stderr,
      stop: (signal) => {
        child.kill(signal);
        return end;
      },
    };
  }
}

/** A line of `runs --json`. */
export interface RunLine {
  readonly type: string;
  readonly id: string;
  readonly state: 'running' | 'paused' | 'cancelled' | 'finished';
  readonly parts: { readonly total: number; readonly done: number; readonly failed: number };
  readonly read: number;
  readonly delivered: number;
  readonly rejected: number;
  readonly failed: number;
  readonly skipped: number;
  readonly retrying: number;
  readonly problems: readonly unknown[];
}

const running = new Set<ChildProcessWithoutNullStreams>();

afterEachTest(async () => {
  const ends = [...running].map((child) => new Promise((resolve) => child.once('close', resolve)));
  // SIGKILL also ends a process that is stopped.
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(ends);
});
