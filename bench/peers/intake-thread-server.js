// The durable server in two threads: one receives and parses, the other commits. It shows what intake
// threads would bring; the groups of 2 ms go from one to the other as single messages.
import { createServer } from 'node:http';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { listen, readBody, succeed } from '../lib/bare-http.js';
import { insertEvent, openTable } from '../lib/group-commit.js';

if (isMainThread) write(process.argv[2]);
else receive(workerData.groupMs);

/** Commits each group of the intake thread. */
function write(path) {
  const database = openTable(path);
  const insert = database.prepare(insertEvent);
  const intake = new Worker(new URL(import.meta.url), { workerData: { groupMs: 2 } });
  intake.on('message', ({ id, events }) => {
    database.exec('BEGIN IMMEDIATE');
    for (const [messageId, body] of events) insert.run(messageId, body);
    database.exec('COMMIT');
    intake.postMessage(id);
  });
}

/** Receives, parses and responds. */
function receive(groupMs) {
  const committing = new Map();
  let events = [];
  let responses = [];
  let lastId = 0;
  const give = () => {
    committing.set(++lastId, responses);
    parentPort.postMessage({ id: lastId, events });
    events = [];
    responses = [];
  };
  parentPort.on('message', (id) => {
    for (const response of committing.get(id)) succeed(response);
    committing.delete(id);
  });
  const server = createServer((request, response) => {
    readBody(request, (body) => {
      const value = JSON.parse(body);
      if (!value.batch) events.push([value.messageId, body]);
      else for (const one of value.batch) events.push([one.messageId, JSON.stringify(one)]);
      if (responses.push(response) === 1) setTimeout(give, groupMs);
    });
  });
  listen(server);
}
