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

/** The same as bytes, which are outside of the heap. */
export function bytesWithFiles(files: Iterable<unknown>, rest: object): Buffer {
  return Buffer.concat(Array.from(jsonWithFiles(files, rest), (part) => Buffer.from(part)));
}
