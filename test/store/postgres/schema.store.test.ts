import { expect, it } from 'vitest';
import { parseStoreUrl } from '../../../src/store/postgres/address.js';
import { migrations } from '../../../src/store/postgres/migrations.js';
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
