import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { openStore } from '../../../src/store/postgres/open.js';
import { afterEachTest } from '../../helpers/after-each.js';
import { makeCertificates } from '../../helpers/certificates.js';
import { folderWith } from '../../helpers/folder.js';
import { PostgresServer, freePort, portOpens, sharedPostgres } from '../../helpers/postgres.js';
import { testStore } from '../../helpers/shared-store.js';

const postgres = sharedPostgres();

const silent = {
  onOutage: () => undefined,
  onRecovered: () => undefined,
  onWarning: () => undefined,
};

const poolers: ChildProcess[] = [];

afterEachTest(() => {
  for (const child of poolers.splice(0)) child.kill('SIGKILL');
});

/** The one line with which a store is refused. */
async function refusal(url: string, options = {}): Promise<string> {
  const error = await openStore({ url, ...silent, ...options }).then(
    async (store) => {
      await store.close();
      throw new Error('it was opened');
    },
    (reason: unknown) => reason as Error,
  );
  expect(error).toMatchObject({ exitCode: 2 });
  expect(error.message).not.toContain('\n');
  return error.message;
}

describe('a server', () => {
  it('without fault gives no warning', async () => {
    const { warnings } = await testStore(await postgres(), { requireDurable: true });
    expect(warnings).toEqual([]);
  });

  it('that may lose data is warned of, and refused where that was asked for', async () => {
    const server = await PostgresServer.start({ fsync: 'off', full_page_writes: 'off' });
    const place = { url: server.url, schema: 'evfwd' };
    const { warnings } = await testStore(place);
    expect(warnings).toEqual([
      expect.stringContaining('fsync off'),
      expect.stringContaining('full_page_writes off'),
    ]);
    expect(await refusal(server.url, { requireDurable: true })).toContain('fsync off');
  });

  it.each([
    ['53100', 'file_extend', 'its disk is full'],
    ['XX000', 'write_item', 'it cannot write or read its files'],
  ])('that ends a new connection with %s of %s is refused with the reason', async (...row) => {
    const [code, routine, reason] = row;
    const fields = ['SFATAL', `C${code}`, 'Mno space', `R${routine}`, ''].join('\0') + '\0';
    const length = Buffer.alloc(4);
    length.writeInt32BE(4 + fields.length);
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () =>
        socket.end(Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)])),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      expect(await refusal(`postgres://u@127.0.0.1:${port}/db?sslmode=disable`)).toBe(
        `--store postgres://127.0.0.1:${port}/db: cannot be used (${reason}); run the command again when that is fixed`,
      );
    } finally {
      server.close();
    }
  });

  it('is judged by what its user has set', async () => {
    const { server, url } = await postgres();
    await server.sql('CREATE ROLE careless LOGIN SUPERUSER');
    await server.sql('ALTER ROLE careless SET synchronous_commit = off');
    const { warnings } = await testStore({
      url: url.replace('evfwd@', 'careless@'),
      schema: 'careless',
    });
    expect(warnings).toEqual([expect.stringContaining('synchronous_commit off')]);
  });

  it('with standbys is warned of unless one of them is synchronous', async () => {
    const server = await PostgresServer.start();
    const warnings = async () => (await testStore({ url: server.url, schema: 'evfwd' })).warnings;
    const backup = await replication(server, 'pg_basebackup');
    expect(await warnings()).toEqual([]);
    const standby = await replication(server, 'standby');
    const warning = expect.stringMatching(/standbys, none of them synchronous/) as string;
    expect(await warnings()).toEqual([warning]);
    // Without waiting for the standby, which never says anything.
    await server.sql('CREATE ROLE local SUPERUSER LOGIN');
    await server.sql('ALTER ROLE local SET synchronous_commit = local');
    await server.sql(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
    await server.sql('SELECT pg_reload_conf()');
    const url = server.url.replace('evfwd@', 'local@');
    expect((await testStore({ url, schema: 'evfwd' })).warnings).toEqual([warning]);
    await Promise.all([backup.end(), standby.end()]);
  });

  it('that is read-only is refused', async () => {
    const { server, url } = await postgres();
    await server.sql('CREATE ROLE reader LOGIN SUPERUSER');
    await server.sql('ALTER ROLE reader SET default_transaction_read_only = on');
    expect(await refusal(url.replace('evfwd@', 'reader@'))).toBe(
      `--store ${server.shown}: is read-only, a standby perhaps; pass the server that takes writes`,
    );
  });

  it('that is too old is refused', async () => {
    const { server, url } = await postgres();
    await server.sql('CREATE SCHEMA old');
    await server.sql(`CREATE FUNCTION old.current_setting(text) RETURNS text LANGUAGE sql AS $$
      SELECT CASE $1 WHEN 'server_version_num' THEN '120011' ELSE pg_catalog.current_setting($1) END $$`);
    await server.sql('CREATE ROLE ancient LOGIN SUPERUSER');
    await server.sql('ALTER ROLE ancient SET search_path = old, pg_catalog');
    expect(await refusal(url.replace('evfwd@', 'ancient@'))).toBe(
      `--store ${server.shown}: is PostgreSQL 12; version 13 or newer is needed`,
    );
  });

  it.each(['LATIN1', 'SQL_ASCII'])('whose database is in %s is refused', async (encoding) => {
    const { server, url } = await postgres();
    const database = encoding.toLowerCase();
    await server.sql(
      `CREATE DATABASE ${database} ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    );
    expect(await refusal(url.replace('/postgres?', `/${database}?`))).toBe(
      `--store postgres://127.0.0.1:${server.port}/${database}: the database is in ${encoding}, which cannot hold all texts; make one with createdb --encoding=UTF8 --locale=C --template=template0`,
    );
  });

  it('where the user may make no tables is refused', async () => {
    const { server, url } = await postgres();
    await server.sql('CREATE ROLE guest LOGIN');
    expect(await refusal(url.replace('evfwd@', 'guest@'))).toContain(
      'may not make tables in the schemas evfwd and evfwd_jobs; grant CREATE',
    );
  });

  it('with few free connections is refused', async () => {
    const { server, url } = await postgres();
    await server.sql('CREATE ROLE narrow LOGIN CONNECTION LIMIT 4');
    await server.sql('GRANT CREATE ON DATABASE postgres TO narrow');
    expect(await refusal(url.replace('evfwd@', 'narrow@'))).toContain(
      'has too few free connections (4, at least 5 are needed); raise the CONNECTION LIMIT of the role, or end other programs',
    );
    await server.sql('ALTER ROLE narrow CONNECTION LIMIT 0');
    expect(await refusal(url.replace('evfwd@', 'narrow@'))).toBe(
      `--store ${server.shown}: cannot be reached (it has too many connections); end other programs, or raise max_connections, or the CONNECTION LIMIT of the role or database`,
    );
  });

  it('whose database has few free connections is refused', async () => {
    const { server, url } = await postgres();
    await server.sql('CREATE ROLE one LOGIN');
    await server.sql('CREATE DATABASE small OWNER one CONNECTION LIMIT 1');
    const small = url.replace('evfwd@', 'one@').replace('/postgres?', '/small?');
    expect(await refusal(small)).toContain(
      'has too few free connections (1, at least 5 are needed); raise the CONNECTION LIMIT of the database',
    );
  });

  it('with few free connections is refused by a user who may not see those of others', async () => {
    const server = await PostgresServer.start({ max_connections: '10' });
    await server.sql('CREATE ROLE blind LOGIN');
    await server.sql('GRANT CREATE ON DATABASE postgres TO blind');
    const place = { url: server.url, schema: 'evfwd' };
    const { database } = (await testStore(place)).store;
    await Promise.all(Array.from({ length: 4 }, () => database.query('SELECT pg_sleep(0.2)')));
    expect(await refusal(server.url.replace('evfwd@', 'blind@'), { schema: 'blind' })).toContain(
      'raise max_connections',
    );
  });

  it('that refuses the password is named without it', async () => {
    const server = await PostgresServer.start();
    await server.sql(`CREATE ROLE app LOGIN PASSWORD 'right'`);
    await server.allow('host all all 127.0.0.1/32 scram-sha-256');
    const url = server.url.replace('evfwd@', 'app:wrong-one@');
    const message = await refusal(url);
    expect(message).toContain(`--store ${server.shown}: refuses the password`);
    expect(message).not.toContain('wrong-one');
  });

  it('that has no such role says so', async () => {
    const { server, url } = await postgres();
    expect(await refusal(url.replace('evfwd@', 'nobody@'))).toBe(
      `--store ${server.shown}: refuses the user; create its role, or allow it in pg_hba.conf`,
    );
  });

  it('gets the password of PGPASSFILE, without a warning', async () => {
    const server = await PostgresServer.start();
    await server.sql(`CREATE ROLE app LOGIN SUPERUSER PASSWORD 'right'`);
    await server.allow('host all all 127.0.0.1/32 scram-sha-256');
    const file = join(folderWith({ pgpass: `127.0.0.1:${server.port}:*:app:right\n` }), 'pgpass');
    chmodSync(file, 0o600);
    vi.stubEnv('PGPASSFILE', file);
    const warned: Error[] = [];
    const onWarning = (warning: Error) => warned.push(warning);
    process.on('warning', onWarning);
    await testStore({ url: server.url.replace('evfwd@', 'app@'), schema: 'evfwd' });
    await setImmediate();
    process.off('warning', onWarning);
    expect(warned).toEqual([]);
  });

  it('whose database accepts no connections says so', async () => {
    const { server, url } = await postgres();
    await server.sql('CREATE DATABASE closed ALLOW_CONNECTIONS false');
    expect(await refusal(url.replace('/postgres?', '/closed?'))).toBe(
      `--store postgres://127.0.0.1:${server.port}/closed: cannot be reached (the database accepts no connections); allow them: ALTER DATABASE … ALLOW_CONNECTIONS true`,
    );
  });

  it('that is not there is named', async () => {
    expect(await refusal('postgres://u:secret@127.0.0.1:1/db', { source: 'EVFWD_STORE' })).toBe(
      'EVFWD_STORE postgres://127.0.0.1:1/db: cannot be reached (connection refused); check that the server runs there',
    );
  });

  it('without TLS is refused where the URL wants it, and used where it prefers it', async () => {
    const { url, schema } = await postgres();
    const wanting = (mode: string) => url.replace('sslmode=disable', `sslmode=${mode}`);
    expect(await refusal(wanting('require'))).toContain(
      'has no TLS, which sslmode=require wants; turn on ssl at the server, or use sslmode=disable in a network that you trust',
    );
    const { warnings } = await testStore({ url: wanting('prefer'), schema });
    expect(warnings).toEqual([]);
  });

  it('is trusted as sslmode says', async () => {
    const { ca, good, wrongHost } = makeCertificates();
    for (const [certificate, modes] of [
      [good, { require: true, 'verify-ca': true, 'verify-full': true }],
      [wrongHost, { require: true, 'verify-ca': true, 'verify-full': false }],
    ] as const) {
      const server = await PostgresServer.start({ ssl: 'on' }, certificate);
      const tls = (mode: string) => server.url.replace('sslmode=disable', `sslmode=${mode}`);
      for (const [mode, isTrusted] of Object.entries(modes)) {
        if (isTrusted) {
          const { store } = await testStore({ url: tls(mode), schema: 'evfwd' }, { ca: [ca] });
          const [row] = await store.database.query(
            'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
          );
          expect(row).toEqual({ ssl: true });
        } else expect(await refusal(tls(mode), { ca: [ca] })).toContain('is not trusted');
      }
      expect(await refusal(tls('verify-ca'))).toContain('pass its authority with --store-ca');
      await testStore({ url: tls('require'), schema: 'evfwd' });
      await testStore({ url: tls('prefer'), schema: 'evfwd' });
    }
  });

  it.each(['transaction', 'statement'])('behind a pooler in %s mode is refused', async (mode) => {
    const { server } = await postgres();
    const url = await pooler(server, mode);
    expect(await refusal(url)).toContain('is a pooler in transaction mode');
  });

  it('behind a pooler that gives it one connection is refused with the size of its pool', async () => {
    const { server } = await postgres();
    expect(await refusal(await pooler(server, 'session', 1))).toContain(
      'is a pooler that gives out too few connections; raise the size of its pool (9 for each process, in session mode), or pass the address of PostgreSQL itself',
    );
  }, 30_000);

  it('behind a pooler in session mode is used', async () => {
    const { server, schema } = await postgres();
    const { store } = await testStore({ url: await pooler(server, 'session'), schema });
    expect(await store.database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

/** A pgbouncer before the server, and the URL to use; it ends with the test. */
async function pooler(server: PostgresServer, mode: string, size = 20): Promise<string> {
  const port = await freePort();
  const folder = folderWith({ 'users.txt': '"evfwd" ""\n' });
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
postgres = host=127.0.0.1 port=${server.port} user=evfwd
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = ${mode}
default_pool_size = ${size}
`,
  );
  const { uid, gid } = server.owner;
  chmodSync(folder, 0o755);
  if (uid !== undefined) chownSync(file, uid, gid!);
  const child = spawn('pgbouncer', [file], { stdio: 'ignore', ...server.owner });
  poolers.push(child);
  await portOpens(port);
  return `postgres://evfwd@127.0.0.1:${port}/postgres?sslmode=disable`;
}

/** A connection as that of a standby or a backup, by its name. */
async function replication({ port }: PostgresServer, name: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...{ host: '127.0.0.1', port, user: 'evfwd', application_name: name },
    ...{ replication: 'true' },
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
