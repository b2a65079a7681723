import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseReader, type ReadState } from '../../src/http/response-reader.js';
import { runs } from '../helpers/property-runs.js';

interface Result {
  readonly reading: ReadState;
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
}

const open: ReadonlySet<ReadState> = new Set(['headers', 'excerpt', 'body']);

/** Reads pieces until one of them says that there is no more to read. */
function read(pieces: readonly string[]): Result {
  const reader = new ResponseReader();
  // One buffer for all, as on a connection: what is kept has to be copied.
  const buffer = Buffer.alloc(64 * 1024);
  let reading: ReadState = 'headers';
  for (const piece of pieces) {
    if (!open.has(reading)) reading = 'over';
    else reading = reader.read(buffer, buffer.write(piece, 0, 'latin1'));
  }
  return { reading, status: reader.status, retryAfter: reader.retryAfter };
}

/** Cuts a text at these places. */
function cut(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % text.length))].sort((a, b) => a - b);
  const starts = ends[0] === 0 ? ends : [0, ...ends];
  return starts.map((start, i) => text.slice(start, starts[i + 1] ?? text.length));
}

function readingOf(text: string): string {
  const { reading, status } = read([text]);
  return `${status ?? 'none'}: ${reading}`;
}

const hello = 'HTTP/1.1 100 Continue\r\n\r\n';
const hints = 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n';
const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

describe('a response in order', () => {
  it.each<[string, string]>([
    ['with a body of known length', `${ok}Content-Length: 2\r\n\r\nok`],
    ['without a body', `${ok}content-length: 0\r\n\r\n`],
    ['without a reason', 'HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n'],
    ['behind interim responses', `${hello}${hints}${ok}content-length: 2\r\n\r\nok`],
    ['in chunks', `${chunked}2\r\nok\r\nA\r\n0123456789\r\n0\r\n\r\n`],
    ['in chunks of odd bytes', `${chunked}1\r\n\r\r\n000\r\n\r\n`],
    ['in no chunk at all', `${chunked}0\r\n\r\n`],
    [
      'of HTTP/1.0 with keep-alive',
      ok.replace('1.1', '1.0') + 'connection: Keep-Alive\r\ncontent-length: 0\r\n\r\n',
    ],
    [
      'that says how long it is kept',
      `${ok}keep-alive: timeout=5, max=9\r\ncontent-length: 0\r\n\r\n`,
    ],
    ['of 16 KB', `${ok}content-length: 16384\r\n\r\n${'x'.repeat(16_384)}`],
  ])('%s leaves the connection good for the next', (_title, text) => {
    expect(readingOf(text)).toBe('200: whole');
  });

  it.each([204, 304])('of %i has no body, whatever its headers say', (status) => {
    const head = `HTTP/1.1 ${status} No\r\n`;
    expect(readingOf(`${head}\r\n`)).toBe(`${status}: whole`);
    expect(readingOf(`${head}content-length: 0\r\n\r\n`)).toBe(`${status}: whole`);
  });

  it.each([204, 304])('of %i that announces a body is not followed by another', (status) => {
    const head = `HTTP/1.1 ${status} No\r\n`;
    for (const header of ['content-length: 5', 'transfer-encoding: chunked']) {
      expect(readingOf(`${head}${header}\r\n\r\n`)).toBe(`${status}: over`);
    }
  });

  it('is answered as soon as its headers have come', () => {
    const head = `${ok}Retry-After: 7\r\ncontent-length: 2\r\n\r\n`;
    expect(read([head])).toEqual({ reading: 'body', status: 200, retryAfter: '7' });
    expect(read([head.slice(0, -1)])).toEqual({ reading: 'headers', status: 200, retryAfter: '7' });
  });

  it('tells the first of two Retry-After, without the space around it', () => {
    const text = `${ok}x-retry-after: 1\r\nretry-after: \t 7 \r\nRETRY-AFTER: 8\r\n\r\n`;
    expect(read([text]).retryAfter).toBe('7');
  });
});

describe('a response out of the ordinary', () => {
  it.each<[string, string]>([
    ['connection: close', `${ok}connection: x, Close\r\ncontent-length: 0\r\n\r\n`],
    ['a keep-alive of 2 s', `${ok}keep-alive: timeout=2\r\ncontent-length: 0\r\n\r\n`],
    ['HTTP/1.0', `${ok.replace('1.1', '1.0')}content-length: 0\r\n\r\n`],
    ['HTTP/1.7', `${ok.replace('1.1', '1.7')}content-length: 0\r\n\r\n`],
    [
      'an interim response with a length',
      `HTTP/1.1 103 X\r\ncontent-length: 2\r\n\r\n${ok}content-length: 0\r\n\r\n`,
    ],
    [
      'an interim response in chunks',
      `HTTP/1.1 103 X\r\ntransfer-encoding: chunked\r\n\r\n${ok}content-length: 0\r\n\r\n`,
    ],
    [
      'an interim response with a broken header',
      `HTTP/1.1 103 X\r\n(none)\r\n\r\n${ok}content-length: 0\r\n\r\n`,
    ],
    ['no length', `${ok}\r\n`],
    ['no length, and bytes', `${ok}\r\nok`],
    ['a length above 16 KB, before any of it has come', `${ok}content-length: 16385\r\n\r\n`],
    ['HTTP/0.9', `${ok.replace('1.1', '0.9')}content-length: 0\r\n\r\n`],
    ['HTTP/2.0', `${ok.replace('1.1', '2.0')}content-length: 0\r\n\r\n`],
    [
      'chunks in HTTP/1.0',
      ok.replace('1.1', '1.0') +
        'connection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['both lengths', `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['the same length twice', `${ok}content-length: 2\r\ncontent-length: 2\r\n\r\nok`],
    ['a tab behind a length', `${ok}content-length: 0\t\r\n\r\n`],
    ['a control character', `${ok}a: b\0c\r\ncontent-length: 0\r\n\r\n`],
    ['a carriage return in a header', `${ok}a: b\rc\r\ncontent-length: 0\r\n\r\n`],
    ['proxy-connection: close', `${ok}Proxy-Connection: close\r\ncontent-length: 0\r\n\r\n`],
    ['an interim response of HTTP/1.0', `HTTP/1.0 100 X\r\n\r\n${ok}content-length: 0\r\n\r\n`],
    ['an extension of a chunk', `${chunked}2;name="x"\r\nok\r\n0\r\n\r\n`],
    ['a trailer', `${chunked}0\r\na: b\r\n\r\n`],
    ['a carriage return in the reason', 'HTTP/1.1 200 O\rK\r\ncontent-length: 0\r\n\r\n'],
    ['a carriage return too many', 'HTTP/1.1 200\r\r\ncontent-length: 0\r\n\r\n'],
    [
      'an interim response that ends the connection',
      `HTTP/1.1 103 X\r\nconnection: close\r\n\r\n${ok}content-length: 0\r\n\r\n`,
    ],
    [
      'HTTP/1.0 with an odd keep-alive',
      'HTTP/1.0 200 OK\r\nconnection: x keep-alive\r\ncontent-length: 0\r\n\r\n',
    ],
    ['carriage returns in front', `\r\r\n\r${ok}content-length: 0\r\n\r\n`],
    ['two lengths', `${ok}content-length: 0\r\ncontent-length: 1\r\n\r\n`],
    ['a list of lengths', `${ok}content-length: 0, 0\r\n\r\n`],
    ['a negative length', `${ok}content-length: -1\r\n\r\n`],
    ['a length with a sign', `${ok}content-length: +1\r\n\r\n`],
    ['an endless length', `${ok}content-length: ${'9'.repeat(30)}\r\n\r\n`],
    ['an empty length', `${ok}content-length:\r\n\r\n`],
    ['another coding', `${ok}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    [
      'chunks twice',
      `${ok}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a folded length', `${ok}content-length:\r\n 0\r\n\r\n`],
    ['a folded line', `${ok}a: b\r\n c\r\ncontent-length: 0\r\n\r\n`],
    ['space before a colon', `${ok}content-length : 0\r\n\r\n`],
    ['a line without a colon', `${ok}content-length\r\n\r\n`],
    ['a line without a name', `${ok}: 0\r\n\r\n`],
    ['bare line feeds', 'HTTP/1.1 200 OK\ncontent-length: 0\n\n'],
    ['an empty line in front', `\r\n${ok}content-length: 0\r\n\r\n`],
    ['bytes behind its end', `${ok}content-length: 1\r\n\r\nok`],
    ['bytes behind its last chunk', `${chunked}0\r\n\r\n\r\n`],
    ['a second response', `${ok}content-length: 0\r\n\r\n${ok}`],
    ['more than 16 KB', `${ok}content-length: 20000\r\n\r\n${'x'.repeat(16_385)}`],
    ['more than 16 KB without an end', `${ok}\r\n${'x'.repeat(16_385)}`],
    ['headers of more than 16 KB', `${ok}a: ${'b'.repeat(17_000)}\r\n\r\n`],
    ['a chunk without a size', `${chunked}\r\nok\r\n0\r\n\r\n`],
    ['a chunk of an odd size', `${chunked}g\r\n`],
    ['a chunk of an endless size', `${chunked}${'f'.repeat(20)}\r\n`],
    ['a chunk longer than its size', `${chunked}1\r\nok\r\n0\r\n\r\n`],
    ['a chunk shorter than its size', `${chunked}3\r\nok\r\n0\r\n\r\n`],
    ['a bare line feed behind a size', `${chunked}2\nok\r\n0\r\n\r\n`],
  ])('keeps its status, and closes the connection: %s', (_title, text) => {
    expect(readingOf(text)).toBe('200: over');
  });

  it('closes the connection when a body comes behind 204', () => {
    expect(readingOf('HTTP/1.1 204 No\r\n\r\nx')).toBe('204: over');
  });

  it.each<[string, string]>([
    ['101', 'HTTP/1.1 101 Up\r\n'],
    ['99', 'HTTP/1.1 99 X\r\n'],
    ['20000', 'HTTP/1.1 20000 X\r\n'],
    ['none', 'hello\r\n'],
    ['none', 'he'],
    ['none', 'HTTP/3'],
    ['none', 'HTTP/2.1'],
    ['none', 'HTTP/2 200 OK\r\n'],
    ['none', 'HTTP/1.1 0200 OK\r\n'],
    ['none', 'HTTP/1.1 200OK\r\n'],
    ['none', 'HTTP/1.1 \r\n'],
    ['none', 'HTTP/1.x 200 OK\r\n'],
    ['none', `HTTP/1.1 200 ${'x'.repeat(17_000)}`],
    ['none', '\r\n'.repeat(9_000)],
    ['none', `${hello}hello`],
    ['none', hello.repeat(1_001) + ok],
    ['none', `HTTP/1.1 ${'2'.repeat(10)}`],
    ['none', `HTTP/1.1 ${'2'.repeat(16_000)}\r\n\r\n`],
  ])('is over at once with the status %s: %s', (status, text) => {
    expect(readingOf(text)).toBe(`${status}: over`);
  });
});

describe('a response that goes on', () => {
  it.each<[string, string, string]>([
    ['nothing', '', 'none: headers'],
    ['an empty line', '\r\n', 'none: headers'],
    ['half an empty line', '\r', 'none: headers'],
    ['part of a status line', 'HTT', 'none: headers'],
    ['an interim response', hello, 'none: headers'],
    ['half an interim response', hints.slice(0, -2), 'none: headers'],
    ['a thousand interim responses', hello.repeat(1_000), 'none: headers'],
    ['nine digits of a status', 'HTTP/1.1 222222222', 'none: headers'],
    ['an interim response and half a status line', `${hello}HTTP/1.1 20`, 'none: headers'],
    ['half a body', `${ok}content-length: 5\r\n\r\nok`, '200: body'],
    ['half a chunk', `${chunked}5\r\nok`, '200: body'],
    ['a body without its last newline', `${chunked}0\r\n`, '200: body'],
  ])('%s', (_title, text, expected) => {
    expect(readingOf(text)).toBe(expected);
  });
});

const interim = fc.array(fc.constantFrom(hello, hints), { maxLength: 2 });

const header = fc.constantFrom(
  ...['a: b', 'X-Empty:', 'retry-after: 9', 'Connection: keep-alive', 'connection: close', '(bad)'],
  ...['Keep-Alive: timeout=5', 'content-length: 3', 'Content-Length: 4', ' folded'],
  'transfer-encoding: chunked',
);

const body = fc.oneof(
  fc.constantFrom(
    '',
    'abc',
    '3\r\nabc\r\n0\r\n\r\n',
    '0\r\nt: u\r\n\r\n',
    '3\r\nabcd\r\n0\r\n\r\n',
  ),
  fc.string({ maxLength: 12 }).map((text) => text.replace(/[^\x20-\x7e]/g, '\r\n')),
);

const response = fc
  .tuple(
    interim,
    fc.constantFrom('HTTP/1.1 200 OK', 'HTTP/1.0 503 No', 'HTTP/1.1 204', 'HTTP/1.1 101 Up', 'no'),
    fc.array(header, { maxLength: 4 }),
    fc.constantFrom('\r\n', '\n'),
    body,
  )
  .map(([before, first, headers, end, rest]) =>
    [...before, [first, ...headers, '', ''].join(end), rest].join(''),
  );

it('a response is read the same however it is cut, to the same end', () => {
  fc.assert(
    fc.property(response, fc.array(fc.nat(), { maxLength: 12 }), (text, places) => {
      expect(read(cut(text, places))).toEqual(read([text]));
    }),
    { numRuns: runs(2_000) },
  );
});

it('chunks are read to the same end in every split of two, and byte by byte', () => {
  const text = `${chunked}2\r\nok\r\n0A\r\n0123456789\r\n0\r\n\r\n`;
  for (let i = 1; i < text.length; i++) {
    expect(read([text.slice(0, i), text.slice(i)]).reading).toBe('whole');
    expect(read([text.slice(0, i)]).reading).toBe(i < chunked.length ? 'headers' : 'body');
  }
  expect(read(text.split(''))).toEqual({ reading: 'whole', status: 200, retryAfter: undefined });
});

it('whatever comes, reading ends, and never with a status that no line has told', () => {
  const words = fc.constantFrom(...['HTTP/1.1 ', '200', '\r\n', ' ', '\n', 'x', '\0', '\xff', ':']);
  fc.assert(
    fc.property(fc.array(words), fc.array(fc.nat()), (parts, places) => {
      const text = `${parts.join('')}\n`;
      const { status } = read(cut(text, places));
      expect(status === undefined || text.includes(`HTTP/1.1 ${status}`)).toBe(true);
    }),
  );
});
