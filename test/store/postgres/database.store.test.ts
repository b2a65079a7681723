import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../../src/store/postgres/unavailable.js';
import { afterEachTest } from '../../helpers/after-each.js';
import { PostgresServer, sharedPostgres } from '../../helpers/postgres.js';
import { testStore } from '../../helpers/shared-store.js';

const postgres = sharedPostgres();

function refuse(): never {
  throw new Error('refused');
}

/** What a server says last when it is shut down, or its postmaster is killed. */
const farewell = Buffer.from('E\0\0\0\x2bSFATAL\0C57P01\0Mterminating connection\0\0', 'latin1');

/** A way to a server whose next answer to `text` is its last, in one packet with its farewell. */
async function endsBehind(port: number, text: string): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    let isLast = false;
    near.on('data', (bytes: Buffer) => {
      isLast ||= bytes.includes(text);
      far.write(bytes);
    });
    far.on('data', (bytes: Buffer) => {
      if (isLast) near.end(Buffer.concat([bytes, farewell]));
      else near.write(bytes);
    });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
  }).listen(0, '127.0.0.1');
  afterEachTest(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}

describe('a database', () => {
  it('is waited for when its server is gone, and says so once and once that it is back', async () => {
    const server = await PostgresServer.start();
    const { store, outages, recoveries } = await testStore({ url: server.url, schema: 'evfwd' });
    const { database } = store;
    await server.stop();
    await expect(database.query('SELECT 1')).rejects.toThrow(StoreUnavailable);
    const waiting = database.whenAvailable(() => database.query('SELECT 2 AS two'));
    await expect.poll(() => outages).toHaveLength(1);
    expect(database.failure).toBeInstanceOf(StoreUnavailable);
    await server.start();
    expect(await waiting).toEqual([{ two: 2 }]);
    expect(outages).toEqual([
      expect.stringMatching(`^${server.shown} cannot be reached \\(.*\\); waiting for it$`),
    ]);
    expect(recoveries).toEqual([`${server.shown} is there again`]);
    expect(database.failure).toBeUndefined();
  });

  it('is not waited for by a command that only reads, where its tables are gone', async () => {
    const place = await postgres();
    const { store } = await testStore(place, { waitsForRefusal: false });
    await place.server.sql(`ALTER SCHEMA ${place.schema} RENAME TO moved_${place.schema}`);
    const { database } = store;
    const read = database.whenAvailable(() => database.query(`SELECT FROM ${place.schema}.run`));
    await expect(read).rejects.toThrow(/ is missing\); restore the tables/);
  });

  it('knows by itself that its server is back', async () => {
    const server = await PostgresServer.start();
    const { database } = (await testStore({ url: server.url, schema: 'evfwd' })).store;
    await server.kill();
    await expect(database.query('SELECT 1')).rejects.toThrow(StoreUnavailable);
    await server.start();
    await expect.poll(() => database.failure).toBeUndefined();
  });

  it('hands no connection on that ended with the answer before', async () => {
    const { server, ...place } = await postgres();
    const port = await endsBehind(server.port, 'SELECT 1 AS last');
    const url = place.url.replace(`:${server.port}/`, `:${port}/`);
    await testStore({ ...place });
    const options = { maxConnections: 1, makesTables: false };
    const { database } = (await testStore({ ...place, url }, options)).store;
    const [last, next] = await Promise.allSettled([
      database.query('SELECT 1 AS last'),
      database.transaction((tx) => tx.query('SELECT 2 AS two')),
    ]);
    expect(last).toMatchObject({ value: [{ last: 1 }] });
    expect(next).toMatchObject({ value: [{ two: 2 }] });
  });

  it('goes on with the connections that it has where the server gives it no more', async () => {
    const { server, url, schema } = await postgres();
    await server.sql('CREATE ROLE narrow LOGIN CONNECTION LIMIT 5');
    await server.sql('GRANT CREATE ON DATABASE postgres TO narrow');
    const place = { url: url.replace('evfwd@', 'narrow@'), schema };
    const { store, outages } = await testStore(place);
    const answers = Array.from({ length: 40 }, () =>
      store.database.query<{ one: number }>('SELECT 1 AS one, pg_sleep(0.02)'),
    );
    for (const rows of await Promise.all(answers)) expect(rows).toMatchObject([{ one: 1 }]);
    expect(store.database.failure).toBeUndefined();
    expect(outages).toEqual([]);
  });

  it('hands no connection on whose transaction was left open by a text that has failed', async () => {
    const { database } = (await testStore(await postgres(), { maxConnections: 1 })).store;
    await expect(database.execute('BEGIN; SELECT 1 / 0; COMMIT')).rejects.toThrow('division');
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('that is lost while a command begins is an error of one line with what to do', async () => {
    const server = await PostgresServer.start();
    const { database } = (await testStore({ url: server.url, schema: 'evfwd' })).store;
    await server.stop();
    const error = await database.query('SELECT 1').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'store_unreachable', exitCode: 2 });
    expect((error as Error).message).toMatch(
      new RegExp(`^${server.shown} cannot be reached \\(.*\\); check that the server runs there$`),
    );
  });

  it('is not waited for any more when that was given up', async () => {
    const server = await PostgresServer.start();
    const { database } = (await testStore({ url: server.url, schema: 'evfwd' })).store;
    await server.stop();
    const giveUp = new AbortController();
    const waiting = database.whenAvailable(() => database.query('SELECT 1'), {
      signal: giveUp.signal,
    });
    giveUp.abort();
    await expect(waiting).rejects.toThrow(StoreUnavailable);
  });

  it('notices within seconds that a server says nothing any more', async () => {
    const server = await PostgresServer.start();
    const { store, outages } = await testStore({ url: server.url, schema: 'evfwd' });
    server.signalAll('SIGSTOP');
    const answer = store.database.whenAvailable(() => store.database.query('SELECT 1 AS one'));
    await expect.poll(() => outages, { timeout: 40_000 }).toHaveLength(1);
    server.signalAll('SIGCONT');
    expect(await answer).toEqual([{ one: 1 }]);
  });

  it('that takes no writes is waited for', async () => {
    const server = await PostgresServer.start();
    const { store, outages, recoveries } = await testStore({ url: server.url, schema: 'evfwd' });
    const { database } = store;
    await server.sql('CREATE TABLE t (n int)');
    await server.sql('ALTER SYSTEM SET default_transaction_read_only = on');
    await server.sql('SELECT pg_reload_conf()');
    const write = () => database.query('INSERT INTO t VALUES (1) RETURNING n');
    await expect
      .poll(() => database.query('SHOW default_transaction_read_only'))
      .toEqual([{ default_transaction_read_only: 'on' }]);
    const waiting = database.whenAvailable(write);
    await expect.poll(() => outages).toHaveLength(1);
    expect(outages[0]).toBe(`${server.shown} refuses writes (it is read-only); waiting for it`);
    await database.query('SELECT 1');
    expect(database.failure?.kind).toBe('refused');
    await server.sql('ALTER SYSTEM RESET default_transaction_read_only');
    await server.sql('SELECT pg_reload_conf()');
    expect(await waiting).toEqual([{ n: 1 }]);
    expect(recoveries).toHaveLength(1);
  });

  it.each([
    [
      'the user has lost its rights',
      'ALTER SCHEMA {} OWNER TO evfwd',
      'ALTER SCHEMA {} OWNER TO loser',
    ],
    [
      'the tables are gone',
      'ALTER SCHEMA {} RENAME TO {}_gone',
      'ALTER SCHEMA {}_gone RENAME TO {}',
    ],
    [
      'one table is gone',
      'ALTER TABLE {}.part RENAME TO gone',
      'ALTER TABLE {}.gone RENAME TO part',
    ],
  ])(
    'waits while %s, also where nothing is asked of it, and goes on',
    async (...row) => {
      const [, begin, end] = row;
      const { server, url, schema } = await postgres();
      await server.sql(`DO $$ BEGIN CREATE ROLE loser LOGIN; EXCEPTION WHEN duplicate_object THEN END $$;
      GRANT CREATE ON DATABASE postgres TO loser`);
      const place = { schema, url: url.replace('evfwd@', 'loser@') };
      const { store, outages, recoveries } = await testStore(place);
      const { database } = store;
      const read = () => database.query(`SELECT count(*)::int AS n FROM ${schema}.part`);
      await server.sql(begin.replaceAll('{}', schema));
      await expect(read()).rejects.toMatchObject({ kind: 'refused' });
      const probes = 2;
      await database.query(`SELECT pg_sleep(${probes} * 2.1)`);
      expect(database.failure).toMatchObject({ kind: 'refused' });
      const waiting = database.whenAvailable(read);
      await expect.poll(() => outages).toHaveLength(1);
      await server.sql(end.replaceAll('{}', schema));
      expect(await waiting).toEqual([{ n: 0 }]);
      expect(database.failure).toBeUndefined();
      expect(recoveries).toHaveLength(1);
    },
    20_000,
  );

  it('runs a transaction again that another one was in the way of', async () => {
    const { server, ...place } = await postgres();
    const { database } = (await testStore({ ...place })).store;
    const table = `${place.schema}.d`;
    await server.sql(`CREATE TABLE ${table} (id int PRIMARY KEY, n int)`);
    await server.sql(`INSERT INTO ${table} VALUES (1, 0), (2, 0)`);
    let runs = 0;
    let meet: () => void;
    const both = new Promise<void>((resolve) => (meet = resolve));
    const add = (first: number, second: number) =>
      database.transaction(async (tx) => {
        await tx.query(`UPDATE ${table} SET n = n + 1 WHERE id = $1`, [first]);
        if (++runs === 2) meet();
        await both;
        await tx.query(`UPDATE ${table} SET n = n + 1 WHERE id = $1`, [second]);
      });
    await Promise.all([add(1, 2), add(2, 1)]);
    expect(await database.query(`SELECT n FROM ${table}`)).toEqual([{ n: 2 }, { n: 2 }]);
    expect(runs).toBeGreaterThan(2);
  });

  it('repeats a statement that the server ended to break a deadlock', async () => {
    const { server, ...place } = await postgres();
    const { database } = (await testStore({ ...place })).store;
    const table = `${place.schema}.s`;
    await server.sql(`CREATE TABLE ${table} (id int PRIMARY KEY, n int)`);
    await server.sql(`INSERT INTO ${table} VALUES (1, 0), (2, 0)`);
    const update = (id: number): string => `UPDATE ${table} SET n = n + 1 WHERE id = ${id}`;
    let statement: Promise<unknown> = Promise.resolve();
    let runs = 0;
    await database.transaction(async (tx) => {
      runs++;
      await tx.query(update(2));
      // It has waited for longer when the server looks for a deadlock, and so it is the one that fails.
      statement = database.query(
        `WITH first AS (${update(1)} RETURNING id)
         ${update(2)} AND EXISTS (SELECT FROM first)`,
      );
      await expect
        .poll(() => server.sql(`SELECT pid FROM pg_locks WHERE NOT granted`), { timeout: 5_000 })
        .toHaveLength(1);
      await tx.query(update(1));
    });
    await statement;
    expect(await database.query(`SELECT n FROM ${table}`)).toEqual([{ n: 2 }, { n: 2 }]);
    expect(runs).toBe(1);
  });

  it('is READ COMMITTED, whatever the server has as its default', async () => {
    const server = await PostgresServer.start({ default_transaction_isolation: 'repeatable read' });
    const { database } = (await testStore({ url: server.url, schema: 'evfwd' })).store;
    await server.sql('CREATE TABLE t (n int)');
    const rows = await database.transaction(async (tx) => {
      const before = await tx.query('SELECT n FROM t');
      await server.sql('INSERT INTO t VALUES (1)');
      return [...before, ...(await tx.query('SELECT n FROM t'))];
    });
    expect(rows).toEqual([{ n: 1 }]);
    expect(await database.query('SHOW transaction_isolation')).toEqual([
      { transaction_isolation: 'read committed' },
    ]);
  });

  it('compiles no statements, since that takes longer than most of them', async () => {
    const { store } = await testStore(await postgres());
    expect(await store.database.query('SHOW jit')).toEqual([{ jit: 'off' }]);
  });

  it('fails a transaction, all of it, where a statement fails that nobody waited for', async () => {
    const { database } = (await testStore(await postgres())).store;
    await database.query('CREATE TABLE public.sent (n int PRIMARY KEY)');
    const add = (values: readonly number[], isPrepared: boolean): Promise<void> =>
      database.transaction(
        (tx) => {
          for (const n of values) tx.send('INSERT INTO public.sent VALUES ($1)', [n]);
          return Promise.resolve();
        },
        { isPrepared },
      );
    for (const isPrepared of [false, true]) {
      await expect(add([1, 2, 1, 3], isPrepared)).rejects.toMatchObject({ code: '23505' });
      // On connections that are as good as before.
      for (let n = 0; n < 20; n++) await add([1_000 + n], isPrepared);
      const rows = await database.query('DELETE FROM public.sent RETURNING n');
      expect(rows).toHaveLength(20);
    }
    await database.query('DROP TABLE public.sent');
  });

  it.each([
    ['the server refuses', '1', { code: '23505' }],
    ['the driver cannot send', { toPostgres: refuse }, { message: 'refused' }],
  ])(
    'fails a transaction with the error of a statement that %s, also behind others',
    async (_, value, expected) => {
      const { server, ...place } = await postgres();
      const { database } = (await testStore({ ...place })).store;
      const table = `${place.schema}.sent`;
      await server.sql(`CREATE TABLE ${table} (n int PRIMARY KEY)`);
      for (const readsBehind of [false, true]) {
        const failing = database.transaction(async (tx) => {
          tx.send(`INSERT INTO ${table} VALUES ($1)`, [1]);
          tx.send(`INSERT INTO ${table} VALUES ($1)`, [value]);
          tx.send(`INSERT INTO ${table} VALUES ($1)`, [2]);
          if (readsBehind) await tx.query('SELECT $1::int', [1]);
        });
        await expect(failing).rejects.toMatchObject(expected);
        expect(await database.query(`SELECT n FROM ${table}`)).toEqual([]);
      }
    },
  );

  it('sends no statement of a transaction that has ended because a part of its work has failed', async () => {
    const { database, schema } = (await testStore(await postgres())).store;
    await database.query(`CREATE TABLE ${schema}.parts (n int)`);
    let later: Promise<unknown> = Promise.resolve();
    const work = database.transaction(async (tx) => {
      const write = (n: number) => tx.query(`INSERT INTO ${schema}.parts VALUES ($1)`, [n]);
      later = write(1).then(() => write(2));
      later.catch(() => undefined);
      // Fails while the first statement is under way: the second one comes after ROLLBACK was sent.
      await Promise.resolve();
      refuse();
    });
    await expect(work).rejects.toThrow('refused');
    await expect(later).rejects.toThrow('the transaction of this statement has ended');
    expect(await database.query(`SELECT n FROM ${schema}.parts`)).toEqual([]);
  });

  it('tells those that listen, also after their connection was lost', async () => {
    const place = await postgres();
    const { database } = (await testStore(place)).store;
    const heard: string[] = [];
    let reconnects = 0;
    const end = await database.listen(
      'a channel',
      (payload) => heard.push(payload),
      () => reconnects++,
    );
    await database.notify(database, 'a channel', 'one');
    await expect.poll(() => heard).toEqual(['one']);
    await place.server.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE query LIKE 'LISTEN%' OR (query = 'SELECT 1' AND pid <> pg_backend_pid())`,
    );
    const before = reconnects;
    await expect.poll(() => reconnects).toBeGreaterThan(before);
    await database.notify(database, 'a channel', 'two');
    await expect.poll(() => heard).toEqual(['one', 'two']);
    await end();
  });

  it('has the time of its server', async () => {
    const { database } = (await testStore(await postgres())).store;
    const [row] = await database.query<{ ms: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
    );
    expect(Math.abs(database.now() - row!.ms)).toBeLessThan(1_000);
  });
});
