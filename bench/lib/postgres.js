import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

const debian = '/usr/lib/postgresql';

/** The folder of initdb and postgres; undefined where PostgreSQL is not installed. */
export function findPostgres() {
  const versions = existsSync(debian) ? readdirSync(debian).map(Number) : [];
  const folders = versions.sort((a, b) => b - a).map((version) => join(debian, `${version}/bin`));
  const path = (process.env.PATH ?? '').split(':');
  return [...path, ...folders].find((folder) => existsSync(join(folder, 'initdb')));
}

/**
 * Starts a PostgreSQL on a free port of this machine, with its files in `folder`; what is acknowledged
 * survives a crash. `clear()` removes all runs, `stop()` ends it.
 */
export async function startPostgres(folder) {
  const bin = findPostgres();
  const data = join(folder, 'postgres');
  const port = await freePort();
  const owner = ownerOfServers();
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const made = spawnSync(join(bin, 'initdb'), ['-D', data, '-U', 'evfwd', '-A', 'trust'], owner);
  if (made.status !== 0) throw new Error(String(made.stderr));
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
  ];
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  const child = spawn(join(bin, 'postgres'), args, { stdio: 'ignore', ...owner });
  const url = `postgres://evfwd@127.0.0.1:${port}/postgres`;
  await Promise.race([ready(url), failure(child)]);
  return {
    url,
    clear: () => sql(url, 'DROP SCHEMA IF EXISTS evfwd, evfwd_jobs CASCADE'),
    async stop() {
      if (child.exitCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGINT');
      await exit;
    },
  };
}

async function sql(connectionString, text) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

async function ready(url) {
  for (;;) {
    const isReady = await sql(url, 'SELECT 1').then(
      () => true,
      () => false,
    );
    if (isReady) return;
    await wait(50);
  }
}

async function failure(child) {
  await once(child, 'exit');
  throw new Error('postgres has ended');
}

/** PostgreSQL does not run as root. */
function ownerOfServers() {
  if (process.getuid?.() !== 0) return {};
  const id = (flag) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
  return { uid: id('-u'), gid: id('-g') };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
