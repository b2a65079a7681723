import { lineBatches } from './line-batches.js';
import { secret } from './data.js';
import { sign } from './sign.js';

const inFlight = 64;

/** Reads, parses and signs every line, and posts it with `post(body, headers)`, which resolves at the end of the response. */
export async function postLines(path, post) {
  const lines = eachLine(path);
  const worker = async () => {
    for (const line of lines) {
      JSON.parse(line);
      await post(line, {
        'Content-Type': 'application/json',
        'User-Agent': 'bench',
        'X-Signature': sign(line, secret),
      });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

function* eachLine(path) {
  for (const lines of lineBatches(path)) yield* lines;
}
