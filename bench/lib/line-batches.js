import { openSync, readSync, closeSync } from 'node:fs';

const chunkBytes = 256 * 1024;
const lineFeed = 0x0a;

/** The lines of a file as text, in arrays of some hundred: the fastest common way to read. */
export function* lineBatches(path) {
  const fd = openSync(path);
  let rest = Buffer.alloc(0);
  for (;;) {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const length = readSync(fd, chunk, 0, chunkBytes, null);
    if (length === 0) break;
    const bytes = Buffer.concat([rest, chunk.subarray(0, length)]);
    const lines = [];
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      lines.push(bytes.toString('utf8', start, end));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    yield lines;
  }
  closeSync(fd);
  if (rest.length > 0) yield [rest.toString('utf8')];
}
