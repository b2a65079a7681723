import type { DeliveryLog } from './delivery-log.js';
import type { EventRecord } from '../event-record.js';
import { chunksOf, readLogLine } from './delivery-log-entry.js';

export interface LogSearch {
  readonly text: string;
  readonly isWanted: (entry: EventRecord) => boolean;
  /** How many to find, the newest. */
  readonly limit: number;
  /** Whether to continue. */
  readonly mayContinue: () => Promise<boolean>;
}

export interface LogFound {
  /** The newest first. */
  readonly entries: readonly EventRecord[];
  readonly isComplete: boolean;
  /** When the oldest line was written; milliseconds since 1970. Undefined while there is none. */
  readonly from: number | undefined;
}

/** Searches the files of a delivery log, the newest first. A file that was removed is skipped. */
export async function searchLog(deliveryLog: DeliveryLog, search: LogSearch): Promise<LogFound> {
  const files = await deliveryLog.files();
  const entries: EventRecord[] = [];
  let isComplete = true;
  for (const file of files) {
    const rest = search.limit - entries.length;
    if (rest <= 0 || !(await search.mayContinue())) isComplete = false;
    else {
      const found = await searchFile(file, { ...search, limit: rest });
      entries.push(...found.entries);
      isComplete &&= found.isComplete;
    }
  }
  return { entries, isComplete, from: await firstTime(files) };
}

async function searchFile(path: string, search: LogSearch): Promise<Omit<LogFound, 'from'>> {
  const needle = lowered(Buffer.from(JSON.stringify(search.text).slice(1, -1)));
  const found: EventRecord[] = [];
  let isComplete = true;
  for await (const lines of chunksOf(path)) {
    if (!(isComplete &&= await search.mayContinue())) break;
    for (const line of linesWith(lines, needle)) {
      const entry = readLogLine(line.toString('utf8'));
      if (!entry || !search.isWanted(entry)) continue;
      found.push(entry);
      if (found.length <= search.limit) continue;
      found.shift();
      isComplete = false;
    }
  }
  return { entries: found.reverse(), isComplete };
}

function* linesWith(lines: Buffer, needle: string): Generator<Buffer> {
  const text = lowered(lines);
  for (let at = text.indexOf(needle); at !== -1;) {
    const start = text.lastIndexOf('\n', at) + 1;
    const end = text.indexOf('\n', at);
    yield lines.subarray(start, end === -1 ? lines.length : end);
    if (end === -1) return;
    at = text.indexOf(needle, end);
  }
}

async function firstTime(files: readonly string[]): Promise<number | undefined> {
  for (const path of [...files].reverse()) {
    for await (const lines of chunksOf(path)) {
      for (const line of linesWith(lines, '[')) {
        const entry = readLogLine(line.toString('utf8'));
        if (entry) return entry.at;
      }
    }
  }
  return undefined;
}

/** One lower-case character per byte: a prefilter, whose matches are then checked. */
function lowered(bytes: Buffer): string {
  return bytes.toString('latin1').toLowerCase();
}
