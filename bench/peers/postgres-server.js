// What `serve --store` promises, and nothing else: events are durable in PostgreSQL before the response, and a
// messageId is stored once. Groups of what came while the last one was committed; a row for each event.
import { createServer } from 'node:http';
import pg from 'pg';
import { listen, readBody, succeed } from '../lib/bare-http.js';

const pool = new pg.Pool({ connectionString: process.argv[2], max: 4 });
await pool.query('CREATE SCHEMA IF NOT EXISTS evfwd');
await pool.query(
  'CREATE TABLE IF NOT EXISTS evfwd.event (id bigserial PRIMARY KEY, message_id text UNIQUE, body text)',
);
let waiting = [];
let open = 0;

function commit() {
  if (open >= 2 || waiting.length === 0) return;
  const group = waiting;
  waiting = [];
  open++;
  const events = group.flatMap(({ value }) => value.batch ?? [value]);
  const values = [
    events.map(({ messageId }) => messageId),
    events.map((one) => JSON.stringify(one)),
  ];
  pool
    .query(
      `INSERT INTO evfwd.event (message_id, body) SELECT * FROM unnest($1::text[], $2::text[])
       ON CONFLICT (message_id) DO NOTHING`,
      values,
    )
    .then(() => {
      for (const { response } of group) succeed(response);
      open--;
      commit();
    });
}

const server = createServer((request, response) => {
  readBody(request, (body) => {
    waiting.push({ value: JSON.parse(body), response });
    setImmediate(commit);
  });
});
listen(server);
