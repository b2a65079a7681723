// Calls track() as a busy program does: in batches, while the queue is drained. Prints the time
// up to the last call, and up to the last response.
import { Client, QueueFullError } from '../../dist/esm/index.js';
import { trackCall } from '../lib/call.js';

const [url, count, flushAt] = process.argv.slice(2);
const client = new Client('bench', { endpoint: url, flushAt: Number(flushAt) });
const callsPerTurn = 500;
const startedAt = performance.now();

for (let i = 0; i < Number(count); i++) {
  for (;;) {
    try {
      client.track(trackCall(i));
      break;
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error;
      await turn();
    }
  }
  if (i % callsPerTurn === 0) await turn();
}
const calledAt = performance.now();
const { failed } = await client.close();
if (failed > 0) throw new Error(`${failed} failed`);
process.stdout.write(
  JSON.stringify({
    callSeconds: (calledAt - startedAt) / 1000,
    seconds: (performance.now() - startedAt) / 1000,
  }),
);

function turn() {
  return new Promise((resolve) => setImmediate(resolve));
}
