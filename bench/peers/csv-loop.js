// Reads the records of a CSV file by csv-parse, as objects.
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';

let events = 0;
for await (const record of createReadStream(process.argv[2]).pipe(parse({ columns: true }))) {
  if (record.messageId) events++;
}
process.stdout.write(`${events}\n`);
