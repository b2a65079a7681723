import { createReadStream } from 'node:fs';
import ndjson from 'ndjson';

let events = 0;
for await (const event of createReadStream(process.argv[2]).pipe(ndjson.parse())) {
  if (typeof event === 'object') events++;
}
process.stdout.write(`${events}\n`);
