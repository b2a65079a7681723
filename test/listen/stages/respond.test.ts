import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { captureLine } from '../../../src/listen/capture.js';
import { folderWith } from '../../helpers/folder.js';
import { listening, raw, type Listening } from '../listening.js';

async function answerOf(url: string, init: RequestInit = {}) {
  const response = await fetch(url, { method: 'POST', ...init });
  return [response.status, response.headers.get('content-type'), await response.text()];
}

const responseIn = ({ got }: Listening): unknown =>
  (JSON.parse(captureLine(got().at(-1)!)) as { response: unknown }).response;

describe('--respond', () => {
  it('the first rule whose path fits answers, and all others get 200', async () => {
    const respond = [
      'path=/slack,body={body.challenge}',
      'path=/slack,status=500',
      'path=/x/*,status=422,type=application/json,body={"error":"{query.e}"}',
    ];
    const { url } = await listening({ respond });
    const challenge = { body: '{"challenge":"3eZb"}' };
    expect(await answerOf(`${url}/slack`, challenge)).toEqual([200, 'text/plain', '3eZb']);
    expect(await answerOf(`${url}/x/y?e=no`)).toEqual([422, 'application/json', '{"error":"no"}']);
    expect(await answerOf(`${url}/`)).toEqual([200, 'application/json', '{"success":true}']);
  });

  it('without a path answers every request', async () => {
    const { url } = await listening({ respond: ['status=204'] });
    expect(await answerOf(`${url}/any`)).toEqual([204, null, '']);
    expect(await answerOf(`${url}/`, { method: 'HEAD' })).toEqual([204, null, '']);
  });

  it('comes after faults and --enforce', async () => {
    const options = { respond: ['body=x'], secret: 's', isEnforced: true };
    const { url } = await listening({ ...options, faults: ['status=503,first=1'] });
    const statuses = [(await answerOf(url))[0], (await answerOf(url))[0]];
    expect(statuses).toEqual([503, 401]);
  });

  it('puts what it sent into the capture: text, or Base64', async () => {
    const path = `${folderWith({ 'a.bin': Buffer.from([0xff, 0]) })}/a.bin`;
    const listener = await listening({ respond: [`path=/file,body=@${path}`, 'body={header.a}'] });
    await answerOf(`${listener.url}/file`);
    expect(responseIn(listener)).toEqual({ status: 200, delayMs: 0, bodyBase64: '/wA=' });
    await answerOf(listener.url, { headers: { a: 'value' } });
    expect(responseIn(listener)).toEqual({ status: 200, delayMs: 0, body: 'value' });
  });

  it('puts the first 64 KB of a long body into the capture, in whole characters', async () => {
    const listener = await listening({ respond: ['body={body.a}'] });
    const a = `x${'é'.repeat(50_000)}`;
    const [, , text] = await answerOf(listener.url, { body: JSON.stringify({ a }) });
    expect(text).toBe(a);
    expect(responseIn(listener)).toMatchObject({ body: a.slice(0, 32_768) });
  });

  it('never lets a value become a header or a status', async () => {
    const rules = ['path=/q,body={query.a}', 'path=/h,body={header.a}', 'body={body.a}'];
    const { port, url, journal } = await listening({ respond: rules });
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\r\nX-Evil: 1\r\n\r\n',
        '\r\n\r\nHTTP/1.1 500 X\r\n\r\n',
        '\u560d\u560aX: 1',
      ),
    );
    await fc.assert(
      fc.asyncProperty(hostile, async (value) => {
        const query = `/q?a=${encodeURIComponent(value)}`;
        expect(await answerOf(url + query)).toEqual([200, typeOf(value), value]);
        const body = JSON.stringify({ a: value });
        expect(await answerOf(url, { body })).toEqual([200, typeOf(value), value]);
        journal.reset();
      }),
      { numRuns: 100 },
    );
    const header = 'GET /h HTTP/1.1\r\nHost: a\r\nA: b\tc\r\nConnection: close\r\n\r\n';
    expect((await raw(port, header)).text).toMatch(
      /^HTTP\/1\.1 200 OK\r\nContent-Type: text\/plain\r\nContent-Length: 3\r\nDate: [^\r]+\r\nConnection: close\r\n\r\nb\tc$/,
    );
  });
});

/** An empty body has no type. */
function typeOf(value: string): string | null {
  return value === '' ? null : 'text/plain';
}
