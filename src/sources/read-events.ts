import type { Event, Problem } from '../events/event.js';
import { checkFormats } from './check-formats.js';
import { checkOptionNames } from '../option-names.js';
import { findInputs } from './find-inputs.js';
import { readBatches } from './read.js';
import type { ReadEventsOptions } from './read-options.js';

/**
 * Reads event files one event at a time: NDJSON, JSON arrays, CSV, TSV or Parquet, plain or in gzip, zstd or
 * zip. Each item is a valid `Event`, or a `Problem` (which alone has a `code`) for a line that is not one;
 * both have their `origin`.
 *
 * @param paths one path or several; directories and patterns stand for their files, `-` is standard input
 * @throws UsageError at once for an unknown option, and before the first item when a path cannot be
 * read or is another format (tar, XML …)
 * @throws BrokenInputError when an input is truncated, after its whole lines; not with `onBroken`
 *
 * @example
 * import { readEvents } from 'evfwd';
 *
 * for await (const item of readEvents(['history.ndjson.gz'])) {
 *   if ('code' in item) console.error(`${item.origin.file}:${item.origin.line}: ${item.message}`);
 *   else console.log(item.type, item.value['userId'], item.bytes.length);
 * }
 */
export function readEvents(
  paths: string | readonly string[],
  options: ReadEventsOptions = {},
): AsyncGenerator<Event | Problem, void, undefined> {
  checkOptionNames(options, optionNames);
  return itemsOf(typeof paths === 'string' ? [paths] : paths, options);
}

const optionNames: Record<keyof ReadEventsOptions, true> = {
  stdin: true,
  onRaw: true,
  onBroken: true,
  signal: true,
};

async function* itemsOf(
  paths: readonly string[],
  options: ReadEventsOptions,
): AsyncGenerator<Event | Problem, void, undefined> {
  const inputs = await findInputs(paths);
  for await (const batch of readBatches(await checkFormats(inputs), options)) {
    // Faster than `yield* batch`, which awaits each item twice.
    for (const item of batch) yield item;
  }
}
