// Cuts a file at its newlines and parses each line.
import { lineBatches } from '../lib/line-batches.js';

let events = 0;
for (const lines of lineBatches(process.argv[2])) {
  for (const line of lines) if (typeof JSON.parse(line) === 'object') events++;
}
process.stdout.write(`${events}\n`);
