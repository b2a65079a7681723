import { expect, it } from 'vitest';
import { parseStoreUrl } from '../../../src/store/postgres/address.js';
import { indexes, migrations } from '../../../src/store/postgres/migrations.js';
import { prepareSchema } from '../../../src/store/postgres/schema.js';
import { sharedPostgres } from '../../helpers/postgres.js';
import { testStore } from '../../helpers/shared-store.js';

const postgres = sharedPostgres();

it('several programs that start at once make the tables once', async () => {
  const place = await postgres();
  const opened = await Promise.all(Array.from({ length: 4 }, () => testStore(place)));
  for (const { store } of opened) {
    expect(
      await store.database.query(`SELECT version FROM ${place.schema}.schema_version`),
    ).toEqual([{ version: migrations.length }]);
  }
});

it('a newer schema is refused by name', async () => {
  const place = await postgres();
  await testStore(place);
  await place.server.sql(`UPDATE ${place.schema}.schema_version SET version = 900`);
  await expect(testStore(place)).rejects.toThrow(
    `--store ${place.server.shown}: the schema ${place.schema} has version 900, and this evfwd knows ${migrations.length}; use a newer evfwd, or another --store-schema`,
  );
});

it.each([
  ['', 'schema_version (number text)'],
  ['', 'schema_version (version int)'],
  ['', 'event_block (id int)'],
  ['_jobs', 'version (number text)'],
  ['_jobs', 'job (id int)'],
])('a schema%s of others with a table %s is refused by name', async (suffix, table) => {
  const place = await postgres();
  const schema = `${place.schema}${suffix}`;
  await place.server.sql(`CREATE SCHEMA ${schema}`);
  await place.server.sql(`CREATE TABLE ${schema}.${table}`);
  const [name] = table.split(' ');
  const said = `--store ${place.server.shown}: the schema ${schema} has a table ${name} that is not from evfwd; pass another schema with --store-schema`;
  await expect(testStore(place)).rejects.toThrow(said);
  await expect(testStore(place, { makesTables: false })).rejects.toThrow(said);
});

it('a later version runs only what is new, and an older program goes on beside it', async () => {
  const place = await postgres();
  const { store } = await testStore(place);
  const options = {
    database: store.database,
    address: parseStoreUrl(place.url, '--store'),
    schema: place.schema,
    prepareJobs: () => Promise.resolve(),
  };
  const later = [...migrations, 'CREATE TABLE {schema}.later (id int)'];
  await prepareSchema({ ...options, migrations: later });
  await prepareSchema({ ...options, migrations: later });
  expect(await store.database.query(`SELECT * FROM ${place.schema}.later`)).toEqual([]);
});

it('a migration that fails leaves nothing', async () => {
  const place = await postgres();
  const { store } = await testStore(place);
  const wrong = [...migrations, 'CREATE TABLE {schema}.half (id int); SELECT 1 / 0'];
  await expect(
    prepareSchema({
      database: store.database,
      address: parseStoreUrl(place.url, '--store'),
      schema: place.schema,
      prepareJobs: () => Promise.resolve(),
      migrations: wrong,
    }),
  ).rejects.toThrow('division by zero');
  await testStore(place);
});

it('a user with rights on the schemas alone makes the tables', async () => {
  const place = await postgres();
  const { server, schema } = place;
  await server.sql('CREATE ROLE tenant LOGIN');
  for (const name of [schema, `${schema}_jobs`]) {
    await server.sql(`CREATE SCHEMA ${name}`);
    await server.sql(`GRANT CREATE, USAGE ON SCHEMA ${name} TO tenant`);
  }
  const { store } = await testStore({ schema, url: place.url.replace('evfwd@', 'tenant@') });
  await store.jobs.createQueue('q');
  expect(await store.jobs.fetch('q')).toEqual([]);
});

it('a user with rights on the schemas, but not on the tables of another one, is told to become a member of that role', async () => {
  const place = await postgres();
  const { server, schema } = place;
  await server.sql('CREATE ROLE landlord LOGIN');
  await server.sql('CREATE ROLE lodger LOGIN');
  await server.sql('GRANT CREATE ON DATABASE postgres TO landlord, lodger');
  const as = (role: string) =>
    testStore({ schema, url: place.url.replace('evfwd@', `${role}@`) }).then(({ store }) => store);
  await (await as('landlord')).close();
  const said =
    'let the user own both schemas and their tables, or GRANT it the role of their owner';
  await expect(as('lodger')).rejects.toThrow(
    `--store ${server.shown}: the user may not make tables in the schemas ${schema} and ${schema}_jobs; grant CREATE on the database, or if the schemas exist, ${said}`,
  );
  await server.sql(`GRANT CREATE, USAGE ON SCHEMA ${schema}, ${schema}_jobs TO lodger`);
  await expect(as('lodger')).rejects.toThrow(
    `--store ${server.shown}: the user may not use or change tables in the schemas ${schema} and ${schema}_jobs; ${said}`,
  );
  await server.sql('GRANT landlord TO lodger');
  const { jobs } = await as('lodger');
  await jobs.createQueue('q');
  expect(await jobs.fetch('q')).toEqual([]);
});

it('a migration holds up nobody while a backup keeps it from what it changes', async () => {
  const place = await postgres();
  const { store } = await testStore(place);
  const { database } = store;
  const options = {
    database,
    address: parseStoreUrl(place.url, '--store'),
    schema: place.schema,
    prepareJobs: () => Promise.resolve(),
  };
  const later = [...migrations, 'ALTER TABLE {schema}.event_block ADD COLUMN later int'];
  const queued = async (): Promise<number> => {
    const [row] = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted`,
    );
    return row!.n;
  };
  const changed = await database.transaction(async (tx) => {
    await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    // As a backup does.
    await tx.query(`LOCK TABLE ${place.schema}.event_block IN ACCESS SHARE MODE`);
    const preparing = prepareSchema({ ...options, migrations: later });
    for (const isWaiting of [true, false, true, false])
      await expect.poll(queued, { interval: 10, timeout: 5_000 }).toBe(isWaiting ? 1 : 0);
    await tx.query(`SELECT later FROM (SELECT 1 AS later) AS none`);
    return { preparing };
  });
  await changed.preparing;
  expect(await database.query(`SELECT later FROM ${place.schema}.event_block`)).toEqual([]);
});

it('indexes that are missing, or were not completed, are made at the next start beside those who write', async () => {
  const place = await postgres();
  const { store } = await testStore(place);
  const { database } = store;
  const { schema } = place;
  const valid = () =>
    database.query(
      `SELECT relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE indisvalid AND c.relnamespace = $1::regnamespace AND relname = ANY($2) ORDER BY relname`,
      [schema, Object.keys(indexes)],
    );
  const all = await valid();
  expect(all).toHaveLength(Object.keys(indexes).length);
  await database.query(`DROP INDEX ${schema}.event_block_kept`);
  await place.server.sql(
    `UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${schema}.user_event_parked'::regclass`,
  );
  let end = (): void => undefined;
  const isOver = new Promise<void>((resolve) => (end = resolve));
  const writing = database.transaction(async (tx) => {
    await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    await tx.query(
      `INSERT INTO ${schema}.event_block (id, queued_at, size, destinations, body) VALUES (1, 0, 0, 0, '')`,
    );
    await isOver;
  });
  const opening = testStore(place);
  await expect
    .poll(() => database.query(`SELECT phase FROM pg_stat_progress_create_index`), {
      timeout: 10_000,
    })
    .toHaveLength(1);
  await database.query(
    `INSERT INTO ${schema}.event_block (id, queued_at, size, destinations, body) VALUES (2, 0, 0, 0, '')`,
  );
  end();
  await Promise.all([writing, opening]);
  expect(await valid()).toEqual(all);
});
