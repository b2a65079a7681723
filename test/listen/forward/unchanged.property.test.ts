import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isHopByHop } from '../../../src/http/header-rules.js';
import { runs } from '../../helpers/property-runs.js';
import { startRawServer, type RawAnswer } from '../../helpers/raw-server.js';
import { pairs, send, startForwarding } from './forwarding.js';

/** A text of up to so many of these characters. */
const textOf = (characters: string, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...characters.split(/(?:)/u)), maxLength });

const tokenCharacters = "!#$%&'*+-.^_`|~0189AZaz";
const latin1 = Array.from({ length: 224 }, (_, i) => String.fromCharCode(i + 32)).join('');
const name = textOf(tokenCharacters, 12).filter((text) => text !== '');
/** Spaces at the ends belong to no value. */
const value = textOf(latin1.replace('\x7f', '\t'), 20).map((text) =>
  text.replace(/^[ \t]+|[ \t]+$/g, ''),
);
/** Those that one side of a connection sets itself are not passed on. */
const header = fc
  .tuple(fc.oneof(name, fc.constantFrom('X-A', 'x-a', 'Set-Cookie', 'Via', 'Date')), value)
  .filter(([name]) => !isHopByHop(name, []) && !/^(?:x-forwarded-|date)/i.test(name));
const headers = fc.array(header, { maxLength: 6 });
const body = fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes));
const pathCharacters = '/?%&=+;:@!$\'()*,-._~0aZ|{}^`"<>\\[]';
const path = textOf(pathCharacters, 20).map((text) => `/${text}`);
const method = fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE', 'GET', 'OPTIONS', 'PROPFIND');
const reason = textOf('aZ \xe9', 9).map((text) => text.trim());
const status = fc.integer({ min: 200, max: 599 }).filter((code) => code !== 204 && code !== 304);

it('a request and its response pass with their bytes and headers as they are', async () => {
  let answer: RawAnswer;
  const app = await startRawServer({ response: () => answer });
  const { port, results } = await startForwarding(`http://127.0.0.1:${app.port}`);
  const sent = fc.record({ method, path, headers, body });
  const answered = fc.record({ status, reason, headers, body });
  await fc.assert(
    fc.asyncProperty(sent, answered, async (request, response) => {
      answer = bytesOf(response);
      const got = await send(port, { ...request, headers: request.headers.flat() });
      const arrived = app.requests.at(-1)!;
      expect(arrived).toMatchObject({ method: request.method, path: request.path });
      expect(arrived.body.equals(request.body)).toBe(true);
      expect(arrived.headers.slice(1, request.headers.length + 1)).toEqual(request.headers);
      expect([got.status, got.reason]).toEqual([response.status, response.reason]);
      expect(got.body.equals(response.body)).toBe(true);
      expect(pairs(got.rawHeaders).slice(0, response.headers.length)).toEqual(response.headers);
    }),
    { numRuns: runs(1_000) },
  );
  expect(results.filter(({ error }) => error !== null)).toEqual([]);
});

interface Response {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

function bytesOf({ status, reason, headers, body }: Response): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const start = `HTTP/1.1 ${status} ${reason}\r\n${lines}Content-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(start, 'latin1'), body]);
}
