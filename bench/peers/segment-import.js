// Reads, parses, and hands each event to @segment/analytics-node.
import { Analytics } from '@segment/analytics-node';
import { lineBatches } from '../lib/line-batches.js';

const [url, path, size] = process.argv.slice(2);
const analytics = new Analytics({ writeKey: 'bench', host: url, flushAt: Number(size) });
const maxUnsettled = 5_000;
let unsettled = 0;
let wake = () => undefined;

for (const lines of lineBatches(path)) {
  for (const line of lines) {
    const { type, ...call } = JSON.parse(line);
    unsettled++;
    analytics[type](call, settle);
    if (unsettled >= maxUnsettled) await new Promise((resolve) => (wake = resolve));
  }
}
await analytics.closeAndFlush();

function settle(error) {
  if (error) throw error;
  unsettled--;
  wake();
}
