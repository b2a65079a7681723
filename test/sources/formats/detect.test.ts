import { describe, expect, it } from 'vitest';
import { detectFormat, enoughBytes } from '../../../src/sources/formats/refuse.js';

const event = (n: number): string => JSON.stringify({ type: 'track', userId: `u${n}`, event: 'E' });
const events = [1, 2, 3, 4].map(event);
const values = events.map((text) => JSON.parse(text) as object);
const ndjson = `${events.join('\n')}\n`;
const large = JSON.stringify(Array.from({ length: 40_000 }, () => values[0]));

/** A header of one file, as POSIX tar writes it, without the magic of later versions if `isOld`. */
function tarHeader(isOld = false): Buffer {
  const header = Buffer.alloc(512);
  header.write('history.ndjson');
  header.write('0000644\0', 100);
  if (!isOld) header.write('ustar\0', 257);
  header.write('        ', 148);
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return header;
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

describe('a file that is not NDJSON', () => {
  it.each([
    ['zip', latin1('PK\x03\x04\x14\0')],
    ['zip', latin1('PK\x05\x06\0\0')],
    ['7z', latin1('7z\xbc\xaf\x27\x1c\0\x04')],
    ['gzip', latin1('\x1f\x8b\x08\0')],
    ['zstd', latin1('\x28\xb5\x2f\xfd\x04')],
    ['xz', latin1('\xfd7zXZ\0')],
    ['bzip2', latin1('BZh91AY&SY')],
    ['lz4', latin1('\x04\x22\x4d\x18')],
    ['parquet', latin1('PAR1\x15\x04')],
    ['tar', Buffer.concat([tarHeader(), Buffer.from(ndjson)])],
    ['tar', Buffer.concat([tarHeader(true), Buffer.from(ndjson)])],
    ['utf-16le', Buffer.from(`\ufeff${ndjson}`, 'utf16le')],
    ['utf-16le', Buffer.from(ndjson, 'utf16le')],
    ['utf-16be', utf16be(`\ufeff${ndjson}`)],
    ['utf-16be', utf16be(ndjson)],
    ['json-array', JSON.stringify(values)],
    ['json-array', `\ufeff${JSON.stringify(values, null, 2)}\n`],
    ['json-array', `[\n${events.join(',\n')}\n]\n`],
    ['json-array', `[\n${events.join(',\n')},\n`],
    ['json-array', '[]'],
    ['json-batch', JSON.stringify({ sentAt: 'now', batch: values })],
    ['json-batch', JSON.stringify({ batch: values, sentAt: 'now' }, null, '\t')],
    ['json-events', `${JSON.stringify({ events: values })}\n`],
    ['json-data', JSON.stringify({ data: values })],
    ['json-object', JSON.stringify(values[0], null, 2)],
    ['json-object', values.map((value) => JSON.stringify(value, null, 2)).join('\n')],
    ['har', JSON.stringify({ log: { version: '1.2', entries: [] } })],
    ['har', JSON.stringify({ log: { version: '1.2', entries: values } }, null, 2)],
    ['har', `{"log":\n{"version":"1.2",\n"entries":[\n{`],
    ['csv', 'userId,event,total\nu1,"Order, paid",3\nu2,,4\n'],
    ['csv', '"userId";"event"\r\n"u1";"a ""b""\r\nc"\r\n'],
    ['tsv', 'userId\tevent\nu1\tOrder'],
    ['html', '\n<!DOCTYPE html>\n<html><body>Log in</body></html>'],
    ['html', '<html lang="en">'],
    ['xml', '<?xml version="1.0"?>\n<Error/>'],
  ])('is recognized by its bytes as %s', (format, content) => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    expect(detectFormat(bytes, true)).toBe(format);
  });

  it('is an array, even on a line longer than any event may be', () => {
    expect(detectFormat(Buffer.from(large).subarray(0, enoughBytes), false)).toBe('json-array');
    expect(detectFormat(Buffer.from(large).subarray(0, enoughBytes - 1), false)).toBe('more');
  });

  it('is HAR, also on such a line', () => {
    const har = Buffer.from(JSON.stringify({ log: { entries: JSON.parse(large) as unknown } }));
    expect(detectFormat(har.subarray(0, enoughBytes), false)).toBe('har');
    expect(detectFormat(har.subarray(0, enoughBytes - 1), false)).toBe('more');
  });
});

describe('a file that may be NDJSON', () => {
  it.each([
    ['is NDJSON', ndjson],
    ['has a byte order mark', `\ufeff${ndjson}`],
    ['has CRLF and blank lines', `\r\n \r\n${events.join('\r\n\r\n')}`],
    ['has one event without a newline', events[0]],
    ['is empty', ''],
    ['is blank', '\ufeff \n\n'],
    ['begins with a line that is not JSON', `not json\n${ndjson}`],
    ['begins with an open brace', `{\n${ndjson}`],
    ['begins with an open bracket', `[\n${ndjson}`],
    ['begins with lines of brackets', `[\n[\n[\n${ndjson}`],
    ['begins with an empty object over two lines', `{\n}\n${ndjson}`],
    ['begins with a line cut off behind a name', `{"a":\n${ndjson}`],
    ['has one line that is cut off, and one event', `{"a":\n${event(1)}`],
    ['begins with a line that is an array', `[1,2]\n${ndjson}`],
    ['begins with a batch', `${JSON.stringify({ batch: values })}\n${ndjson}`],
    ['has two batches', `${JSON.stringify({ batch: values })}\n`.repeat(2)],
    ['has an event with a list', '{"type":"track","userId":"u","event":"E","events":[{"a":1}]}'],
    ['has a user with a list', '{"userId":"u","data":[{"a":1}]}'],
    ['begins with separated words', `a,b\nc,d\n${ndjson}`],
    ['begins with separated words behind which an event is', `a,b\nc,d\ne,f\n${event(1)}`],
    ['begins with markup', `<html>\n${ndjson}`],
    ['has lines with commas', 'Order, paid\nOrder, canceled at 3, again\n'],
    ['has one line with a comma', 'hello, world\n'],
    ['is text', 'hello\nworld\n'],
    ['has an invalid byte', Buffer.from('{"type":"\xff"}\n', 'latin1')],
    ['begins with a byte order mark of UTF-16', Buffer.from(`\xff\xfex\n${ndjson}`, 'latin1')],
    ['is zeros', Buffer.alloc(1024)],
    ['begins with a word that begins other formats', `PAR1\nBZh9\nPK\n7z\n${ndjson}`],
    ['has a record with a log', '{"log":{"entries":[{"a":1}]},"userId":"u"}'],
    ['has lines with logs', '{"log":{"entries":[]}}\n'.repeat(2)],
    ['is a dead letter', '{"type":"dead-letter","reason":"rejected","event":{"type":"track"}}\n'],
    ['is a capture', '{"type":"request","id":"a-1","body":"{\\"batch\\":[{}]}"}\n'],
  ])('is not refused: it %s', (_, content = '') => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    expect(detectFormat(bytes, true)).toBe('unknown');
  });

  it.each([
    ['an object', `{"type":"track","x":"${'x'.repeat(enoughBytes)}`],
    ['text', 'x'.repeat(enoughBytes)],
    ['an array of numbers', `[${'1,'.repeat(enoughBytes / 2)}`],
  ])('is not refused for a first line beyond the limit: %s', (_, text) => {
    expect(detectFormat(Buffer.from(text), false)).toBe('unknown');
  });

  it.each([
    ['a first line that is an object', `${event(1)}\n`, 'unknown'],
    ['the beginning of a line', '{"type":', 'more'],
    ['an array, behind which lines may follow', '[1]\n', 'more'],
    ['a batch, behind which events may follow', `${JSON.stringify({ batch: values })}\n`, 'more'],
    ['two lines that look like cells', 'a,b\nc,d\n', 'more'],
    ['ten lines that look like cells', 'a,b\n'.concat('c,d\n'.repeat(10)), 'csv'],
    ['one word', 'hello\n', 'unknown'],
  ])('is known as soon as a pipe has sent enough: %s', (_, text, detection) => {
    expect(detectFormat(Buffer.from(text), false)).toBe(detection);
  });
});
