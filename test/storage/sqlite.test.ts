import { expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/sqlite.js';

it("SQLite is Node's own if that is stable, else the package, and shows no warning", async () => {
  const hasOwn = Number(process.versions.node.split('.')[0]) >= 24;
  const warnings: unknown[] = [];
  const note = (warning: unknown): unknown => warnings.push(warning);
  process.on('warning', note);
  const database = await openDatabase(':memory:');
  const name = hasOwn ? 'node:sqlite' : '@photostructure/sqlite';
  const { DatabaseSync } = (await import(name)) as { DatabaseSync: new () => unknown };
  expect(database).toBeInstanceOf(DatabaseSync);
  database.close();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
