import { chunksOf } from '../../collections/chunks.js';

const filesAtOnce = 1_000;

/** The JSON of `{ files, ...rest }` in parts, since there may be very many files. `rest` must not be empty. */
export function* jsonWithFiles(files: Iterable<unknown>, rest: object): Generator<string> {
  yield '{"files":[';
  let separator = '';
  for (const part of chunksOf(files, filesAtOnce)) {
    yield separator + JSON.stringify(part).slice(1, -1);
    separator = ',';
  }
  yield `],${JSON.stringify(rest).slice(1)}`;
}

/** The same as bytes, which are outside of the heap and, as there may be many, in memory once. `filesOf` is called twice. */
export function bytesWithFiles(filesOf: () => Iterable<unknown>, rest: object): Buffer {
  let length = 0;
  for (const part of jsonWithFiles(filesOf(), rest)) length += Buffer.byteLength(part);
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const part of jsonWithFiles(filesOf(), rest)) at += bytes.write(part, at);
  return bytes;
}
