// The same calls with @segment/analytics-node, paused where its queue would grow without bound.
import { Analytics } from '@segment/analytics-node';
import { trackCall } from '../lib/call.js';

const [url, count, flushAt] = process.argv.slice(2);
const analytics = new Analytics({ writeKey: 'bench', host: url, flushAt: Number(flushAt) });
const maxUnsettled = 10_000;
const callsPerTurn = 500;
let unsettled = 0;
const startedAt = performance.now();

for (let i = 0; i < Number(count); i++) {
  while (unsettled >= maxUnsettled) await turn();
  unsettled++;
  analytics.track(trackCall(i), settle);
  if (i % callsPerTurn === 0) await turn();
}
await analytics.closeAndFlush();
process.stdout.write(JSON.stringify({ seconds: (performance.now() - startedAt) / 1000 }));

function settle(error) {
  if (error) throw error;
  unsettled--;
}

function turn() {
  return new Promise((resolve) => setImmediate(resolve));
}
