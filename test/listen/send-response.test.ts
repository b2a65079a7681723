import { describe, expect, it } from 'vitest';
import { listening, raw } from './listening.js';

const request =
  'POST /hook HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}';
const head = request.replace('POST', 'HEAD');

describe('a fault, seen from outside', () => {
  it.each([200, 201, 301, 400, 410, 429, 500, 503, 599])('status=%i', async (status) => {
    const { port, got } = await listening({ faults: [`status=${status}`] });
    const { text, ended } = await raw(port, request);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(ended).toBe('end');
    const body: unknown = JSON.parse(text.split('\r\n\r\n')[1]!);
    expect(body).toMatchObject(status < 400 ? { success: true } : { success: false, code: /\w/ });
    expect(got()).toMatchObject([{ fault: `status=${status}`, response: { status } }]);
  });

  it.each([204, 304])('status=%i has no body', async (status) => {
    const { port } = await listening({ faults: [`status=${status}`] });
    expect((await raw(port, request)).text).toMatch(/\r\n\r\n$/);
  });

  it('delay: nothing arrives before it', async () => {
    const { port, got } = await listening({ faults: ['delay=120ms,status=500'] });
    const startedAt = performance.now();
    const { text } = await raw(port, request);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(118);
    expect(text).toMatch(/^HTTP\/1\.1 500 /);
    expect(got()[0]!.response).toMatchObject({ status: 500, delayMs: 120 });
    expect(got()[0]!.durationMs).toBeGreaterThanOrEqual(120);
  });

  it('reset: the connection is reset without a response', async () => {
    const { port, got } = await listening({ faults: ['reset'] });
    expect(await raw(port, request)).toEqual({ text: '', ended: 'ECONNRESET' });
    expect(got()).toMatchObject([{ fault: 'reset', response: { status: null } }]);
  });

  it('hang: nothing ever arrives', async () => {
    const { port, url, got, arrived, close } = await listening({ faults: ['hang,first=1'] });
    const hanging = raw(port, request);
    await arrived(1);
    expect((await fetch(url)).status).toBe(200);
    await close();
    expect((await hanging).text).toBe('');
    expect(got()[0]).toMatchObject({ fault: 'hang,first=1', response: { status: null } });
  });

  it('truncate: half of the announced body arrives, then the end', async () => {
    const { port, url } = await listening({ faults: ['truncate'] });
    const { text, ended } = await raw(port, request);
    expect(text).toContain('Content-Length: 16\r\n');
    expect(text).toMatch(/\r\n\r\n\{"succes$/);
    expect(ended).toBe('end');
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
  });

  it('slow: the body arrives byte by byte, and whole', async () => {
    const { port } = await listening({ faults: ['slow=5ms'] });
    const startedAt = performance.now();
    const { text } = await raw(port, request);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(16 * 4);
    expect(text).toMatch(/\r\n\r\n\{"success":true\}$/);
  });

  it('slow and truncate: half of it, byte by byte', async () => {
    const { port } = await listening({ faults: ['slow=1ms,truncate'] });
    expect((await raw(port, request)).text).toMatch(/\r\n\r\n\{"succes$/);
  });

  it.each(['truncate', 'slow=1ms', 'status=503', 'slow=1ms,truncate'])(
    '%s, asked with HEAD, ends too',
    async (fault) => {
      const { port } = await listening({ faults: [fault] });
      expect((await raw(port, head)).text).toMatch(/^HTTP\/1\.1 \d+ [^]*\r\n\r\n$/);
    },
  );

  it('does nothing if a sender disconnects while it waits', async () => {
    const { url, arrived } = await listening({ faults: ['delay=1h,first=1', 'slow=1h,first=1'] });
    for (const count of [1, 2]) {
      const gone = new AbortController();
      const response = fetch(url, { signal: gone.signal }).then((a) => a.text());
      await arrived(count);
      gone.abort();
      await expect(response).rejects.toThrow();
    }
    expect((await fetch(url)).status).toBe(200);
  });
});

it('responds to the same requests in the same way with the same seed', async () => {
  const statuses = async (seed: number): Promise<number[]> => {
    const { url, close } = await listening({
      faults: ['status=503,rate=30%', 'status=429,type=page,first=2', 'status=500,rate=20%'],
      seed,
    });
    const responses: number[] = [];
    for (let i = 0; i < 40; i++) {
      const body = JSON.stringify({
        type: i % 3 === 0 ? 'page' : 'track',
        event: 'E',
        userId: 'u',
      });
      responses.push((await fetch(url, { method: 'POST', body })).status);
    }
    await close();
    return responses;
  };
  const first = await statuses(7);
  expect(new Set(first)).toEqual(new Set([200, 429, 500, 503]));
  expect(await statuses(7)).toEqual(first);
  expect(await statuses(8)).not.toEqual(first);
});
