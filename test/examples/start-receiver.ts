import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { serveRoute, type Route } from './serve-route.js';
import { spawnSync } from '../helpers/run-sync.js';

export const receivers = fileURLToPath(new URL('../../examples/receivers/', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));

export interface Started {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Where a receiver runs, with a folder that is there until it is stopped. */
interface Place {
  readonly file: string;
  readonly port: number;
  readonly folder: string;
}

interface Runtime {
  /** A command that succeeds where the receivers can run. */
  readonly probe: readonly string[];
  /** Packages of Debian. */
  readonly needs: string;
  readonly command: (place: Place) => readonly string[];
  readonly env?: (place: Place) => Readonly<Record<string, string>>;
}

const node: Runtime = {
  probe: [process.execPath, '--version'],
  needs: 'nodejs',
  command: ({ file }) => [process.execPath, file],
};

/** The one that has the packages of Debian need not be the first on the PATH. */
const python =
  ['python3', '/usr/bin/python3'].find((one) => succeeds([one, '-c', 'import fastapi, flask'])) ??
  'python3';

const runtimes: Readonly<Record<string, Runtime>> = {
  express: node,
  fastify: node,
  fastapi: {
    probe: [python, '-c', 'import fastapi, uvicorn'],
    needs: 'python3-fastapi, python3-uvicorn',
    command: ({ file }) => [python, file],
  },
  flask: {
    probe: [python, '-c', 'import flask, gunicorn'],
    needs: 'python3-flask, python3-gunicorn',
    command: ({ file }) => {
      const [folder, name] = [file.slice(0, file.lastIndexOf('/')), /([^/]+)\.py$/.exec(file)![1]!];
      return [python, '-m', 'gunicorn', '--threads', '8', '--chdir', folder, `${name}:app`];
    },
  },
  go: {
    probe: ['go', 'version'],
    needs: 'golang-go',
    command: ({ file }) => ['go', 'run', file],
    env: ({ folder }) => ({ GOTMPDIR: folder }),
  },
  rails: {
    probe: ['ruby', '-e', 'require "action_controller/railtie"; require "puma"'],
    needs: 'ruby-railties, puma',
    command: () => ['ruby', join(here, 'rails.rb')],
    env: ({ file }) => ({ RECEIVER: file }),
  },
  laravel: {
    probe: ['php', '-r', 'require "Illuminate/autoload.php";'],
    needs: 'php-cli, php-laravel-framework',
    command: ({ port }) => ['php', '-S', `127.0.0.1:${port}`, join(here, 'laravel.php')],
    env: ({ file, folder }) => ({ RECEIVER: file, FOLDER: folder, PHP_CLI_SERVER_WORKERS: '8' }),
  },
};

/** What has to be installed for the receivers of a framework; undefined if it is. */
export function missingFor(framework: string): string | undefined {
  const runtime = runtimes[framework];
  return runtime && !succeeds(runtime.probe) ? runtime.needs : undefined;
}

function succeeds([command, ...args]: readonly string[]): boolean {
  return spawnSync(command!, args).status === 0;
}

/** Starts the receiver of a file, in a process of its own but for Next.js. */
export async function startReceiver(path: string, secret: string): Promise<Started> {
  const file = join(receivers, path);
  const framework = path.slice(0, path.indexOf('/'));
  if (framework === 'nextjs') {
    process.env.WEBHOOK_SECRET = secret;
    const { port, stop } = await serveRoute((await import(file)) as Route);
    return { url: urlOf(port), stop };
  }
  return startProcess(runtimes[framework]!, file, secret);
}

async function startProcess(runtime: Runtime, file: string, secret: string): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'evfwd-receiver-'));
  const port = await freePort();
  const place = { file, port, folder };
  const [command, ...args] = runtime.command(place);
  const env = {
    ...process.env,
    ...runtime.env?.(place),
    PORT: String(port),
    WEBHOOK_SECRET: secret,
  };
  // A group of its own, since some servers start workers.
  const child = spawn(command!, args, { env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (data: Buffer) => (errors = `${errors}${data.toString()}`.slice(-4_000)));
  const ended = once(child, 'close');
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; !(await isListening(port)); tries++) {
    if (child.exitCode !== null || tries > 1_200) {
      await stop();
      throw new Error(`${file} did not start: ${errors}`);
    }
    await sleep(50);
  }
  return { url: urlOf(port), stop };
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}/hook`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.on('connect', () => end(true)).on('error', () => end(false));
  });
}
