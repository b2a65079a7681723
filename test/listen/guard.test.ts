import { describe, expect, it } from 'vitest';
import { listening, raw, type Listening } from './listening.js';

/** The status of a request to the inspector with these headers; `PORT` is ours. */
async function status(
  { port }: Listening,
  line: string,
  headers: Record<string, string>,
  body = '',
): Promise<number> {
  const all = { Host: 'localhost:PORT', 'Content-Length': String(body.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const text = `${line} HTTP/1.1\r\n${lines.join('')}Connection: close\r\n\r\n${body}`;
  const { text: response } = await raw(port, text.replaceAll('PORT', String(port)));
  return Number(response.split(' ')[1]);
}

const stats = 'GET /_evfwd/api/stats';
const reset = 'POST /_evfwd/api/reset';

describe('the Host header', () => {
  it.each(['localhost:PORT', '127.0.0.1:PORT', '[::1]:PORT', 'LOCALHOST:PORT'])(
    '%s is ours',
    async (host) => {
      expect(await status(await listening(), stats, { Host: host })).toBe(200);
    },
  );

  it.each([
    'evil.example:PORT',
    'localhost',
    'localhost:1',
    'localhost.evil.example:PORT',
    'evil.example#localhost:PORT',
    '192.0.2.1:PORT',
    '',
  ])('%j is foreign, as after DNS rebinding', async (host) => {
    const listener = await listening();
    for (const line of [stats, 'GET /_evfwd/', 'GET /_evfwd/api/page', reset]) {
      expect(await status(listener, line, { Host: host })).toBe(403);
    }
  });

  it('is foreign when it is given twice, since a proxy may have gone by the other one', async () => {
    expect(await status(await listening(), stats, { HOST: 'localhost:PORT' })).toBe(403);
  });

  it('may be any in a delivery', async () => {
    const listener = await listening();
    expect(await status(listener, 'POST /hook', { Host: 'evil.example' })).toBe(200);
    expect(await status(listener, 'POST /hook', { Origin: 'http://evil.example' })).toBe(200);
  });

  it('may be the address of --host, and the one that it is reached by', async () => {
    const listener = await listening({ host: '0.0.0.0' });
    expect(await status(listener, stats, { Host: '0.0.0.0:PORT' })).toBe(200);
    expect(await status(listener, stats, { Host: '127.0.0.1:PORT' })).toBe(200);
    expect(await status(listener, stats, { Host: '192.0.2.1:PORT' })).toBe(403);
  });
});

describe('a proxy or tunnel in front', () => {
  it.each([
    { 'X-Forwarded-For': '203.0.113.9' },
    { Forwarded: 'for=203.0.113.9' },
    { Via: '1.1 x' },
    { 'X-Real-IP': '203.0.113.9' },
  ])('that adds %j reaches no inspector, whatever its Host', async (headers) => {
    const listener = await listening();
    for (const line of [stats, 'GET /_evfwd/', 'GET /_evfwd/api/page', reset]) {
      expect(await status(listener, line, headers)).toBe(403);
      expect(await status(listener, line, { Host: 'a.example', ...headers })).toBe(403);
    }
  });

  it('delivers webhooks', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9', Host: 'a.example' };
    expect(await status(await listening(), 'POST /hook', headers)).toBe(200);
  });
});

describe('the token', () => {
  it.each([
    'POST /_evfwd/api/replay',
    'POST /_evfwd/api/%72eplay',
    'PUT /_evfwd/api/faults',
    'PUT /_evfwd/api/fault%73',
    'PUT /_evfwd/%61pi/faults',
  ])('is needed for %s, however the path is spelled', async (line) => {
    expect(await status(await listening(), line, {})).toBe(403);
  });
});

describe('a page of another origin', () => {
  it.each([
    'http://evil.example',
    'null',
    'http://localhost',
    'https://localhost:PORT',
    'http://localhost:1',
    'http://localhost:PORT.evil.example',
    'http://user@localhost:PORT',
  ])('%s is refused, with the token, too', async (origin) => {
    const listener = await listening();
    const headers = { Origin: origin, 'X-Evfwd-Token': listener.token };
    for (const line of [stats, reset, 'POST /_evfwd/api/replay', 'PUT /_evfwd/api/faults']) {
      expect(await status(listener, line, headers)).toBe(403);
    }
  });

  it('cannot reach the API through elements that send no Origin', async () => {
    const listener = await listening();
    for (const site of ['cross-site', 'same-site']) {
      expect(await status(listener, 'GET /_evfwd/api/page', { 'Sec-Fetch-Site': site })).toBe(403);
      expect(await status(listener, stats, { 'Sec-Fetch-Site': site })).toBe(403);
    }
  });

  it('gets no headers that let it read responses', async () => {
    const listener = await listening();
    const response = await fetch(`${listener.url}/_evfwd/api/stats`, {
      headers: { origin: 'http://evil.example' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(await response.json()).toMatchObject({ error: { code: 'foreign_origin' } });
  });
});

describe('the token', () => {
  const json = { 'Content-Type': 'application/json' };
  const plan = '{"faults":[],"seed":1}';
  const replay = '{"ids":[],"url":"http://127.0.0.1:9/","signature":"again"}';

  it.each([
    ['PUT /_evfwd/api/faults', plan],
    ['PUT /_evfwd/api/faults?x', plan],
    ['POST /_evfwd/api/replay', replay],
  ])('is always needed for %s', async (line, body) => {
    const listener = await listening();
    const own = { Origin: 'http://localhost:PORT', ...json };
    expect(await status(listener, line, json, body)).toBe(403);
    expect(await status(listener, line, own, body)).toBe(403);
    for (const wrong of ['', 'x', listener.token.slice(1), `${listener.token}0`]) {
      expect(await status(listener, line, { ...own, 'X-Evfwd-Token': wrong }, body)).toBe(403);
    }
    expect(await status(listener, line, { ...own, 'X-Evfwd-Token': listener.token }, body)).toBe(
      200,
    );
  });

  it('is needed for a reset by a page, but not by a program', async () => {
    const listener = await listening();
    const own = { Origin: 'http://127.0.0.1:PORT' };
    expect(await status(listener, reset, {})).toBe(200);
    expect(await status(listener, reset, { 'Content-Type': 'text/plain' }, 'x')).toBe(200);
    expect(await status(listener, reset, own)).toBe(403);
    expect(await status(listener, reset, { ...own, 'X-Evfwd-Token': listener.token })).toBe(200);
  });

  it('differs in every run', async () => {
    const [one, other] = [await listening(), await listening()];
    expect(one.token).toMatch(/^[0-9a-f]{64}$/);
    expect(one.token).not.toBe(other.token);
  });
});
