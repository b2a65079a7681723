// Parses each line of a capture and signs its body.
import { secret } from '../lib/data.js';
import { lineBatches } from '../lib/line-batches.js';
import { sign } from '../lib/sign.js';

let valid = 0;
for (const lines of lineBatches(process.argv[2])) {
  for (const line of lines) {
    const { body, headers } = JSON.parse(line);
    if (sign(body, secret) === headers['x-signature']) valid++;
  }
}
process.stdout.write(`${valid}\n`);
