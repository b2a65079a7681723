import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll } from 'vitest';
import { afterEachTest } from './after-each.js';
import type { Certificate } from './certificates.js';
import { findPostgres } from './find-postgres.js';
import { spawnSync } from './run-sync.js';

/** A PostgreSQL of its own: a free port of loopback, a folder of its own, all that is written is safe. */
export class PostgresServer {
  readonly port: number;
  readonly folder = mkdtempSync(join(tmpdir(), 'evfwd-postgres-'));
  readonly #bin = findPostgres()!;
  /** Whom it runs as. */
  readonly owner = ownerOfServers();
  readonly #settings: Readonly<Record<string, string>>;
  #process: ChildProcess | undefined;
  #data = join(this.folder, 'data');
  #isRemoved = false;
  #replica: { readonly data: string; readonly process: ChildProcess } | undefined;

  /** `settings` of postgresql.conf. */
  static async start(
    settings: Record<string, string> = {},
    certificate?: Certificate,
  ): Promise<PostgresServer> {
    const server = new PostgresServer(await freePort(), settings);
    servers.push(server);
    server.#make();
    if (certificate) server.#install(certificate);
    await server.start();
    return server;
  }

  private constructor(port: number, settings: Record<string, string>) {
    this.port = port;
    this.#settings = settings;
  }

  /** `postgres://evfwd@127.0.0.1:<port>/postgres?sslmode=disable` */
  get url(): string {
    return `postgres://evfwd@127.0.0.1:${this.port}/postgres?sslmode=disable`;
  }

  /** The same, as it is printed. */
  get shown(): string {
    return `postgres://127.0.0.1:${this.port}/postgres`;
  }

  get pid(): number {
    return this.#process!.pid!;
  }

  /** Starts it, again after `stop` or `kill`, with the data of before; resolves when it responds. */
  async start(): Promise<void> {
    while (!this.#isRemoved) {
      const child = this.#run(this.#data, this.port);
      this.#process = child;
      while (isRunning(child)) {
        if (await this.#responds()) return;
        await pause(20);
      }
      // Backends of before still hold its memory.
      await pause(50);
    }
    throw new Error('the server was removed');
  }

  #run(data: string, port: number): ChildProcess {
    const settings = {
      port: String(port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: this.folder,
      max_connections: '60',
      ...this.#settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const options = { stdio: 'ignore', ...this.owner } as const;
    return spawn(join(this.#bin, 'postgres'), ['-D', data, ...args], options);
  }

  /** Starts a replica, for which commits wait from then on. */
  async addReplica(): Promise<void> {
    const data = join(this.folder, 'replica');
    const from = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'evfwd'];
    const made = spawnSync(
      join(this.#bin, 'pg_basebackup'),
      [...from, '-D', data, '-R', '-c', 'fast', '--no-sync'],
      { encoding: 'utf8', timeout: 60_000, ...this.owner },
    );
    if (made.status !== 0) throw made.error ?? new Error(made.stderr);
    const replica = (this.#replica = { data, process: this.#run(data, await freePort()) });
    await this.sql(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await this.sql('SELECT pg_reload_conf()');
    for (;;) {
      const [found] = await this.sql(`SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`);
      if (found) return;
      if (!isRunning(replica.process)) throw new Error('the replica has ended');
      await pause(20);
    }
  }

  /** Kills the server. Its replica comes to the same port, where it is read-only for so long, until it is promoted. */
  async failOver(readOnlyMs: number): Promise<void> {
    const { data, process: replica } = this.#replica!;
    await this.kill();
    await end(replica, 'SIGINT');
    this.#replica = undefined;
    this.#data = data;
    await this.start();
    await pause(readOnlyMs);
    const [promoted] = await this.sql<{ done: boolean }>('SELECT pg_promote() AS done');
    if (!promoted?.done) throw new Error('the replica is not promoted');
  }

  /** Ends all connections and stops, as an administrator would. */
  async stop(): Promise<void> {
    await end(this.#process, 'SIGINT');
  }

  /** SIGKILL of the server and all its backends, as when the machine loses power. */
  async kill(): Promise<void> {
    await killAll(this.#process);
  }

  /** SIGSTOP or SIGCONT of the server and its backends: it says nothing, and no connection breaks. */
  signalAll(name: 'SIGSTOP' | 'SIGCONT'): void {
    for (const pid of [this.pid, ...backendsOf(this.pid)]) signal(pid, name);
  }

  /** Runs statements as the owner of everything, on a connection of its own. */
  async sql<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query(text, values)).rows as Row[];
    } finally {
      await client.end();
    }
  }

  /** Lines at the end of pg_hba.conf come too late; these replace it. */
  async allow(...lines: string[]): Promise<void> {
    const file = join(this.folder, 'data/pg_hba.conf');
    spawnSync('truncate', ['-s', '0', file]);
    appendFileSync(file, `${lines.join('\n')}\n`);
    signal(this.pid, 'SIGHUP');
    await pause(200);
  }

  /** All writes to the tables of imports fail with this SQLSTATE, as on a full disk. */
  async refuseWrites(code: string): Promise<void> {
    await this.sql(`CREATE OR REPLACE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${code}'; END $$`);
    for (const name of importTables) {
      await this.sql(`CREATE TRIGGER refused BEFORE INSERT OR UPDATE OR DELETE ON evfwd.${name}
        FOR EACH STATEMENT EXECUTE FUNCTION public.refuse()`);
    }
  }

  async acceptWrites(): Promise<void> {
    for (const name of importTables) await this.sql(`DROP TRIGGER refused ON evfwd.${name}`);
  }

  async remove(): Promise<void> {
    this.#isRemoved = true;
    signal(this.pid, 'SIGCONT');
    await this.kill();
    await killAll(this.#replica?.process);
    rmSync(this.folder, { recursive: true, force: true });
  }

  #make(): void {
    if (this.owner.uid !== undefined) chownSync(this.folder, this.owner.uid, this.owner.gid!);
    const args = ['-D', join(this.folder, 'data'), '-U', 'evfwd', '-A', 'trust', '-E', 'UTF8'];
    const made = spawnSync(join(this.#bin, 'initdb'), [...args, '--no-sync', '--locale=C'], {
      encoding: 'utf8',
      ...this.owner,
    });
    if (made.status !== 0) throw made.error ?? new Error(made.stderr);
  }

  #install({ cert, key }: Certificate): void {
    for (const [name, text] of [
      ['server.crt', cert],
      ['server.key', key],
    ] as const) {
      const file = join(this.folder, 'data', name);
      writeFileSync(file, text, { mode: 0o600 });
      if (this.owner.uid !== undefined) chownSync(file, this.owner.uid, this.owner.gid!);
    }
  }

  async #responds(): Promise<boolean> {
    try {
      await this.sql('SELECT 1');
      return true;
    } catch (error) {
      // It wants a password, a certificate, or no more connections: it is there.
      return ['28P01', '28000', '53300'].includes((error as { code?: string }).code ?? '');
    }
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

async function end(child: ChildProcess | undefined, name: NodeJS.Signals): Promise<void> {
  if (!child || !isRunning(child)) return;
  const ended = once(child, 'exit');
  child.kill(name);
  await ended;
}

/** SIGKILL of a server and all its backends. */
async function killAll(child: ChildProcess | undefined): Promise<void> {
  if (!child || !isRunning(child)) return;
  const backends = backendsOf(child.pid!);
  const ended = end(child, 'SIGKILL');
  for (const pid of backends) signal(pid, 'SIGKILL');
  await ended;
}

function backendsOf(server: number): number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(server)], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean).map(Number);
}

/** One server for all tests of a file; each test has a schema of its own. */
export function sharedPostgres(settings: Record<string, string> = {}): () => Promise<TestStore> {
  let started: Promise<PostgresServer> | undefined;
  let schemas = 0;
  afterAll(async () => {
    const server = await started;
    await server?.remove();
    servers.splice(0, servers.length, ...servers.filter((other) => other !== server));
  });
  return async () => {
    const server = await (started ??= PostgresServer.start(settings).then((made) => {
      shared.add(made);
      return made;
    }));
    return { server, url: server.url, schema: `test_${++schemas}` };
  };
}

/** A place for the tables of a test. */
export interface TestStore {
  readonly server: PostgresServer;
  readonly url: string;
  readonly schema: string;
}

/** As if the clock of the server had been an hour ahead until now. */
export async function setClockBack({ server, schema }: TestStore): Promise<void> {
  await server.sql(
    `UPDATE ${schema}_jobs.job SET start_after = start_after + interval '1 hour', created_on = created_on + interval '1 hour'`,
  );
}

const importTables = ['run', 'part', 'retry', 'run_stat', 'run_dead_letter', 'run_worker'];

const servers: PostgresServer[] = [];
const shared = new Set<PostgresServer>();

afterEachTest(async () => {
  const own = servers.filter((server) => !shared.has(server));
  servers.splice(0, servers.length, ...servers.filter((server) => shared.has(server)));
  await Promise.all(own.map((server) => server.remove()));
});

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

/** PostgreSQL does not run as root. */
function ownerOfServers(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    const id = (flag: string) =>
      Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout.trim() || Number.NaN);
    if (Number.isInteger(id('-u'))) return { uid: id('-u'), gid: id('-g') };
  }
  throw new Error('no user that PostgreSQL could run as');
}

/** Resolves when something accepts connections there. */
export async function portOpens(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
