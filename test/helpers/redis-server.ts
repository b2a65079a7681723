import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEachTest } from './after-each.js';

/** A redis-server of its own: a free port of loopback, a folder of its own, no snapshots. */
export class RedisServer {
  readonly port: number;
  /** Has the append-only files. */
  readonly folder = mkdtempSync(join(tmpdir(), 'evfwd-redis-'));
  readonly #settings: Readonly<Record<string, string>>;
  #process: ChildProcess | undefined;
  #password: string | undefined;

  /** `settings` override the configuration that the manual recommends. */
  static async start(settings: Record<string, string> = {}): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), settings);
    servers.push(server);
    await server.start();
    return server;
  }

  private constructor(port: number, settings: Record<string, string>) {
    this.port = port;
    this.#settings = { ...recommended, ...settings };
    this.#password = settings.requirepass;
  }

  /** `redis://127.0.0.1:<port>/0` */
  get url(): string {
    return `redis://127.0.0.1:${this.port}/0`;
  }

  get pid(): number {
    return this.#process!.pid!;
  }

  /** Starts it, again after `kill`, with the data of before; resolves when it responds. */
  async start(): Promise<void> {
    const settings = Object.entries(this.#settings).flatMap(([name, value]) => [
      `--${name}`,
      ...(value === '' ? [''] : value.split(' ')),
    ]);
    const place = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.folder];
    const child = spawn('redis-server', [...place, ...settings], { stdio: 'ignore' });
    this.#process = child;
    while (!this.#responds()) {
      if (child.exitCode !== null) throw new Error('redis-server has ended');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** SIGKILL, as in a crash. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs a command by redis-cli and returns what it prints. */
  command(...args: string[]): string {
    const password = this.#password ? ['-a', this.#password, '--no-auth-warning'] : [];
    const all = ['-h', '127.0.0.1', '-p', String(this.port), ...password, ...args];
    return spawnSync('redis-cli', all, { encoding: 'utf8' }).stdout.trimEnd();
  }

  /** Until it is started again; all connections are closed. */
  changePassword(password: string): void {
    this.command('CONFIG', 'SET', 'requirepass', password);
    this.#password = password;
    for (const type of ['normal', 'pubsub']) this.command('CLIENT', 'KILL', 'TYPE', type);
  }

  /** Also while it loads its data or wants a password. */
  #responds(): boolean {
    const text = this.command('PING');
    return text !== '' && !text.startsWith('LOADING') && !text.startsWith('Could not connect');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }
}

const recommended = {
  save: '',
  appendonly: 'yes',
  appendfsync: 'always',
  'maxmemory-policy': 'noeviction',
};

const servers: RedisServer[] = [];

afterEachTest(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
