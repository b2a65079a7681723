// Reading with the library, one event after the other, as a program would use it.
import { readEvents } from '../../dist/esm/index.js';

let events = 0;
for await (const item of readEvents(process.argv[2])) if (!('code' in item)) events++;
process.stdout.write(`${events}\n`);
