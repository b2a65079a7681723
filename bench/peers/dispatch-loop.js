// The minimal cost of signed webhooks with undici: a line, JSON.parse, HMAC, dispatch.
import { Client } from 'undici';
import { secret } from '../lib/data.js';
import { responseHandler } from '../lib/dispatch-handler.js';
import { lineBatches } from '../lib/line-batches.js';
import { sign } from '../lib/sign.js';

const [url, path] = process.argv.slice(2);
const { origin, pathname } = new URL(url);
const connections = 64;
const batches = lineBatches(path);
let batch = [];
let next = 0;

function nextLine() {
  while (next === batch.length) {
    const { value, done } = batches.next();
    if (done) return undefined;
    batch = value;
    next = 0;
  }
  return batch[next++];
}

function serve(client) {
  const line = nextLine();
  if (line === undefined) {
    void client.close();
    return;
  }
  JSON.parse(line);
  const headers = [
    'User-Agent',
    'bench',
    'Content-Type',
    'application/json',
    'X-Signature',
    sign(line, secret),
  ];
  const handler = responseHandler(() => serve(client), fail);
  client.dispatch({ method: 'POST', path: pathname, headers, body: line }, handler);
}

for (let i = 0; i < connections; i++) serve(new Client(origin, { pipelining: 1 }));

function fail(error) {
  throw error;
}
