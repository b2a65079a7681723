// What `serve` promises, and nothing else: events are durable before the response, and a messageId is
// stored once. One event a request, or the events of a `batch`; a group commit every 2 ms.
import { createServer } from 'node:http';
import { listen, readBody, succeed } from '../lib/bare-http.js';
import { groupCommit, insertEvent, openTable } from '../lib/group-commit.js';

const database = openTable(process.argv[2]);
const insert = database.prepare(insertEvent);

const add = groupCommit(
  database,
  2,
  ({ body, value }) => {
    if (!value.batch) insert.run(value.messageId, body);
    else for (const one of value.batch) insert.run(one.messageId, JSON.stringify(one));
  },
  ({ response }) => succeed(response),
);

const server = createServer((request, response) => {
  readBody(request, (body) => add({ body, value: JSON.parse(body), response }));
});
listen(server);
