// The minimal cost of batches: lines, JSON.parse, joined to bodies of the same size, posted.
import { Agent } from 'undici';
import { responseHandler } from '../lib/dispatch-handler.js';
import { lineBatches } from '../lib/line-batches.js';

const [url, path, size] = process.argv.slice(2);
const { origin } = new URL(url);
const dispatcher = new Agent({ connections: 8 });
const maxInFlight = 16;
const sent = new Set();
let collected = [];

for (const lines of lineBatches(path)) {
  for (const line of lines) {
    JSON.parse(line);
    if (collected.push(line) < Number(size)) continue;
    post();
    if (sent.size >= maxInFlight) await Promise.race(sent);
  }
}
if (collected.length > 0) post();
await Promise.all(sent);
await dispatcher.close();

function post() {
  const body = `{"batch":[${collected.join(',')}],"sentAt":"${new Date().toISOString()}"}`;
  collected = [];
  const ended = new Promise((resolve, reject) => {
    const handler = responseHandler(resolve, reject);
    const headers = ['Content-Type', 'application/json', 'Authorization', 'Basic YmVuY2g6'];
    dispatcher.dispatch({ origin, path: '/v1/batch', method: 'POST', headers, body }, handler);
  });
  sent.add(ended);
  void ended.then(() => sent.delete(ended));
}
