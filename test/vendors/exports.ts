import { readFileSync } from 'node:fs';
import { isProblem } from '../../src/events/event.js';
import type { RecordMapper } from '../../src/events/map/compile-map.js';
import { parseEvent } from '../../src/events/parse.js';
import type { Violation } from '../../src/events/rules.js';
import { snowplow } from '../../src/vendors/snowplow.js';
import { place } from '../helpers/events.js';

/** A file of `data/`, by its lines. */
export function lines(file: string): string[] {
  const text = readFileSync(new URL(`data/${file}`, import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line !== '');
}

/** The records of a vendor's export, as its reader hands them over. */
export function exported(vendor: string): Buffer[] {
  if (vendor !== 'snowplow') return lines(`${vendor}.ndjson`).map((line) => Buffer.from(line));
  const { columns } = snowplow.files!;
  return lines('snowplow.tsv').map((line) => {
    const cells = line.split('\t').map((cell, i) => [columns[i]!, cell]);
    return Buffer.from(JSON.stringify(Object.fromEntries(cells)));
  });
}

/** What becomes of a record: the texts of its events, or one that says why it has none. */
export function outcomes(mapper: RecordMapper, record: Buffer | string): string[] {
  const result = mapper.map(Buffer.from(record));
  if (result === 'skipped') return ['{"skipped":true}'];
  if ('code' in result) return [rejected(result)];
  return result.events.map((bytes) => {
    const item = parseEvent(bytes, place());
    return isProblem(item) ? rejected(item) : bytes.toString();
  });
}

function rejected({ code, message }: Violation): string {
  return JSON.stringify({ rejected: `${code}: ${message}` });
}
