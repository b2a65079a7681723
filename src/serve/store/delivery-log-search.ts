import type { Found, OutcomesFound, Search } from './store-views.js';
import type { EventRecord } from '../event-record.js';
import { chunksOf, readLogLine } from './delivery-log-entry.js';

/** Searches the files of a delivery log, the newest first. A file that was removed is skipped. */
export async function searchLog(
  deliveryLog: { files(): Promise<string[]> },
  search: Search<EventRecord>,
): Promise<OutcomesFound> {
  const files = await deliveryLog.files();
  const entries: EventRecord[] = [];
  let isComplete = true;
  for (const file of files) {
    const rest = search.limit - entries.length;
    if (rest <= 0 || !(await search.mayContinue())) isComplete = false;
    else {
      const found = await searchFile(file, { ...search, limit: rest });
      entries.push(...found.items);
      isComplete &&= found.isComplete;
    }
  }
  return { items: entries, isComplete, from: await firstTime(files) };
}

async function searchFile(path: string, search: Search<EventRecord>): Promise<Found<EventRecord>> {
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
  return { items: found.reverse(), isComplete };
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
