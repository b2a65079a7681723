import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLine } from '../../src/events/parse.js';
import { captureLine } from '../../src/listen/capture.js';
import { responseFor } from '../../src/listen/planned-response.js';
import { readCaptureLine } from '../../src/sign/captured-request.js';
import { received } from './listening.js';

describe('a capture line', () => {
  it('has the documented members', () => {
    const item = received({
      text: '{"type":"track"}',
      headers: ['Host', 'localhost', 'X-Signature', 'abc'],
      path: '/hook?a=1',
      signature: 'invalid',
      response: { ...responseFor(undefined), status: 503, delayMs: 20 },
    });
    expect(JSON.parse(captureLine(item))).toEqual({
      type: 'request',
      id: 'run-1',
      receivedAt: '2026-01-01T00:00:00.000Z',
      method: 'POST',
      path: '/hook?a=1',
      headers: { host: 'localhost', 'x-signature': 'abc' },
      body: '{"type":"track"}',
      signature: 'invalid',
      response: { status: 503, delayMs: 20 },
    });
  });

  it('begins with its type, so that readers detect it early', () => {
    expect(captureLine(received())).toMatch(/^\{"type":"request",/);
  });

  it('keeps every value of a header that was sent more than once, and any name', () => {
    const headers = ['X-A', '1', 'x-a', '2', 'X-A', '3', '__proto__', 'p', 'constructor', 'c'];
    const line = captureLine(received({ headers }));
    expect(line).toContain('"x-a":["1","2","3"],"__proto__":"p","constructor":"c"');
  });

  it('restores every body byte for byte', () => {
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.constantFrom('\ufeff{}', '\u2028', '\0', '"\\', '\r\n').map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(bodies, (body) => {
        const line = captureLine(received({ body }));
        expect(line).not.toMatch(/[\n\r]/);
        const read = readCaptureLine(Buffer.from(line));
        expect(read).toMatchObject({ id: 'run-1', method: 'POST', path: '/hook' });
        expect(Buffer.from((read as { body: string | Buffer }).body)).toEqual(body);
      }),
    );
  });

  it('keeps a short response as it is, also if it ends like a character that is cut off', () => {
    const body = Buffer.from([0x61, 0xc3]);
    const content = { by: 'respond' as const, headers: [], body, isWhole: true };
    const response = { ...responseFor(undefined), content };
    const line = JSON.parse(captureLine(received({ response }))) as { response: object };
    expect(line.response).toMatchObject({ bodyBase64: body.toString('base64') });
  });

  it('is an event for all readers of event files', () => {
    const text = '{"type":"track","event":"E","userId":9007199254740993,"properties":{"n":1.0}}';
    const line = Buffer.from(captureLine(received({ text })));
    const origin = { file: 'got.ndjson', line: 1, offset: 0, length: line.length };
    expect(parseLine(line, origin)).toMatchObject({ bytes: Buffer.from(text) });
  });
});
