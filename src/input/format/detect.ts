import { markLength } from '../open-line.js';
import { binaryFormat } from './binary.js';
import { jsonFormat } from './json-documents.js';
import type { Detection, Sample } from './kinds.js';
import { skipSpace } from './json-value.js';
import { textFormat } from './text-formats.js';

/** Enough bytes for every decision: the longest line of an event file, with its newline. */
export const enoughBytes = 1024 * 1024 + 2;

/** As much as the header of a tar archive; the signatures of the other formats are shorter. */
const signatureBytes = 512;
const lineFeed = 0x0a;
const openObject = 0x7b;
const openArray = 0x5b;

/**
 * Detects a format by the first bytes of a file, inflated if it is gzip. A format is named only where
 * the bytes cannot be those of an NDJSON file with some invalid lines, so that no event that could be
 * read is refused.
 *
 * @param isAll whether the file ends after these bytes
 */
export function detectFormat(start: Buffer, isAll: boolean): Detection {
  const isEnough = isAll || start.length >= enoughBytes;
  if (start.length < signatureBytes && !isEnough && !start.includes(lineFeed)) return 'more';
  const detection = binaryFormat(start) ?? contentFormat({ start, isAll, isEnough });
  return detection === 'more' && isEnough ? 'unknown' : detection;
}

function contentFormat(sample: Sample): Detection {
  const { start } = sample;
  const at = skipSpace(start, markLength(start, true));
  const first = start[at];
  if (first === undefined) return 'more';
  return first === openObject || first === openArray
    ? jsonFormat(sample, at)
    : textFormat(sample, at);
}
