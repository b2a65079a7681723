// The least that forwards: accepts, commits, responds, posts with undici's dispatch, deletes.
import { createServer } from 'node:http';
import { Client } from 'undici';
import { listen, readBody, succeed } from '../lib/bare-http.js';
import { responseHandler } from '../lib/dispatch-handler.js';
import { groupCommit, insertEvent, openTable } from '../lib/group-commit.js';
import { sign } from '../lib/sign.js';
import { secret } from '../lib/data.js';

const [, , path, url] = process.argv;
const { origin, pathname } = new URL(url);
const database = openTable(path);
const insert = database.prepare(insertEvent);
const remove = database.prepare('DELETE FROM event WHERE id = ?');
const idle = Array.from({ length: 64 }, () => new Client(origin, { pipelining: 1 }));
const waiting = [];

const change = groupCommit(
  database,
  2,
  (item) => {
    if (item.response) item.events = item.bodies.flatMap((body, i) => stored(body, item.ids[i]));
    else remove.run(item.id);
  },
  (item) => {
    if (!item.response) return;
    succeed(item.response);
    for (const event of item.events) waiting.push(event);
    send();
  },
);

/** Nothing for a repeat of an event that is not delivered yet. */
function stored(body, messageId) {
  const { changes, lastInsertRowid: id } = insert.run(messageId, body);
  return changes === 0 ? [] : [{ id, body }];
}

let sentUpTo = 0;

function send() {
  while (idle.length > 0 && sentUpTo < waiting.length) post(idle.pop(), waiting[sentUpTo++]);
  if (sentUpTo < 10_000) return;
  waiting.splice(0, sentUpTo);
  sentUpTo = 0;
}

function post(client, { id, body }) {
  const headers = ['Content-Type', 'application/json', 'X-Signature', sign(body, secret)];
  const done = () => {
    idle.push(client);
    change({ id });
    send();
  };
  const fail = (error) => {
    throw error;
  };
  client.dispatch({ method: 'POST', path: pathname, headers, body }, responseHandler(done, fail));
}

const server = createServer((request, response) => {
  readBody(request, (body) => {
    const value = JSON.parse(body);
    const all = value.batch ?? [value];
    const bodies = value.batch ? all.map((one) => JSON.stringify(one)) : [body];
    change({ response, bodies, ids: all.map(({ messageId }) => messageId) });
  });
});
listen(server);
