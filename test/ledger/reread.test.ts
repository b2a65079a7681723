import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { isProblem, type Event } from '../../src/events/event.js';
import { readEvents } from '../../src/sources/read-events.js';
import { userOf } from '../../src/events/select.js';
import { stampEvent } from '../../src/events/stamp.js';
import { rereadEvent } from '../../src/ledger/reread.js';
import { retryRow } from '../../src/ledger/retry-row.js';
import { deadLetterLine } from '../../src/ledger/dead-letter.js';
import { noted } from '../../src/events/text-event.js';
import { eventOf } from '../helpers/events.js';
import { folderWith } from '../helpers/folder.js';

async function eventsIn(path: string): Promise<Event[]> {
  const events: Event[] = [];
  for await (const item of readEvents(path)) if (!isProblem(item)) events.push(item);
  return events;
}

function rowOf(event: Event, canReread: boolean) {
  const stamp = stampEvent(event, { ids: 'keep', seed: '', now: 0 });
  const source = { storedAt: 0, file: 0, user: userOf(event), canReread };
  return retryRow(1, event, stamp, { dueAt: 0, endpointDeliveries: [] }, source);
}

const one = '{"type":"track","userId":"ü1","event":"Opened"}';
const two = '  {"type":"track","userId":"u2","event":"1e400 \\u00e9","properties":{"n":1e400}}  ';
const deadLetter = deadLetterLine({
  outcome: { verdict: 'failed', messageId: 'm', attempts: [] },
  ...{ origin: eventOf().origin, bytes: Buffer.from(one), isJson: true },
  ...{ givenId: 'evfwd-1', at: 0 },
}).toString();

describe('an event that waited for a retry', () => {
  it.each([
    ['plain lines', `${one}\n${two}\n`],
    ['a byte order mark', `\ufeff${one}\n${two}`],
    ['a byte order mark before the only line', `\ufeff${one}`],
    ['CR at the ends of lines', `\ufeff${one}\r\n\r\n${two}\r\n${one}\r`],
    ['dead letters', `${deadLetter}${deadLetter}`],
  ])('is read again at its offset: %s', async (_what, content) => {
    const path = join(folderWith({ 'a.ndjson': content }), 'a.ndjson');
    const events = await eventsIn(path);
    expect(events.length).toBeGreaterThan(0);
    for (const event of events) {
      const row = rowOf(event, true);
      expect(row.text).toBeNull();
      expect(rereadEvent(row, path)).toEqual(event);
    }
  });

  it('has its stored text if the file is gzip or a transform made the event', async () => {
    const path = join(folderWith({ 'a.gz': gzipSync(`${one}\n${deadLetter}`) }), 'a.gz');
    const events = await eventsIn(path);
    expect(events).toHaveLength(2);
    for (const event of events) expect(rereadEvent(rowOf(event, false), path)).toEqual(event);
    const made = noted(eventOf(two), { part: 3 });
    expect(rereadEvent(rowOf(made, false), made.origin.file)).toEqual(made);
  });

  it.each<[string, (path: string) => void]>([
    ['a different event', (path) => writeFileSync(path, one.replace('Opened', 'Closed'))],
    ['no event', (path) => writeFileSync(path, 'x'.repeat(one.length))],
    ['a truncated event', (path) => writeFileSync(path, one.slice(0, -1))],
    ['nothing', (path) => writeFileSync(path, '')],
    ['no file', (path) => rmSync(path)],
  ])('stops the run if there is %s in its place: exit 2', async (_what, change) => {
    const path = join(folderWith({ 'a.ndjson': one }), 'a.ndjson');
    const [event] = await eventsIn(path);
    const row = rowOf(event!, true);
    change(path);
    const read = () => rereadEvent(row, path);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(
      /a\.ndjson: ?.*; restore .*, or start over with --fresh$|a\.ndjson:1: has changed/,
    );
  });
});
