// Cuts a file at its newlines, and nothing else.
import { lineBatches } from '../lib/line-batches.js';

let events = 0;
for (const lines of lineBatches(process.argv[2])) events += lines.length;
process.stdout.write(`${events}\n`);
