import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresServer } from '../helpers/postgres.js';

/** All rows of all tables of ours and of the jobs. */
export async function storedText(server: PostgresServer): Promise<string> {
  const tables = await server.sql<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname IN ('evfwd', 'evfwd_jobs')`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await server.sql<{ text: string }>(`SELECT row::text AS text FROM ${name} AS row`);
    texts.push(name, ...rows.map(({ text }) => text));
  }
  const letters = await server.sql<{ line: Buffer }>('SELECT line FROM evfwd.run_dead_letter');
  return [...texts, ...letters.map(({ line }) => line.toString())].join('\n');
}

/** Every write that the server has logged since it was started. */
export function loggedText(server: PostgresServer): string {
  const folder = join(server.folder, 'data/pg_wal');
  return readdirSync(folder)
    .filter((name) => /^[0-9A-F]{24}$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n');
}
