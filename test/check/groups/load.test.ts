import { describe, expect, it } from 'vitest';
import { setTimeout as wait } from 'node:timers/promises';
import { startEndpoint } from '../helpers/endpoint.js';
import { runSome, verdictOf } from '../helpers/run-some.js';

describe('load.parallel', () => {
  it('passes where 200 events in bursts of 20 are accepted', async () => {
    const { url, arrived } = await startEndpoint();
    expect(await verdictOf(url, ['load.parallel'])).toMatch(/^pass: p95 \d+ ms of 200 events$/);
    // One more shows that it still accepts events.
    expect(arrived).toHaveLength(201);
  });

  it('has 20 requests in flight at once, and no more', async () => {
    let inFlight = 0;
    let most = 0;
    const { url } = await startEndpoint(async (_, response) => {
      most = Math.max(most, ++inFlight);
      await wait(20);
      inFlight--;
      response.writeHead(204).end();
    });
    await runSome(url, ['load.parallel']);
    expect(most).toBe(20);
  });

  it('stops at the first burst that fails', async () => {
    const { url, arrived } = await startEndpoint(({ index }) => (index > 36 ? 503 : 204));
    expect(await verdictOf(url, ['load.parallel'])).toBe(
      'warn: 3 of 20 events of burst 2 were not accepted: HTTP 503',
    );
    expect(arrived).toHaveLength(41);
  });

  it('says nothing where a rate limit answers', async () => {
    const { url } = await startEndpoint(({ index }) => (index > 10 ? 429 : 204));
    expect(await verdictOf(url, ['load.parallel'])).toMatch(/^na: .* HTTP 429/);
  });

  it('warns of bursts that are answered late', async () => {
    const { url } = await startEndpoint(async (_, response) => {
      await wait(220);
      response.writeHead(204).end();
    });
    expect(await verdictOf(url, ['load.parallel'], { deadlineMs: 200 })).toMatch(
      /^warn: p95 \d+ ms of 200 events, expected < 200 ms$/,
    );
  });

  it('sends nothing at a lower rate', async () => {
    const { url, arrived } = await startEndpoint();
    expect(await verdictOf(url, ['load.parallel'], { rate: 19 })).toBe(
      'na: needs --rate 20/s or more',
    );
    expect(arrived).toHaveLength(0);
  });
});

describe('limit.429', () => {
  it.each([
    [{}, 'warn: HTTP 429 without Retry-After; slowed down to 0.5/s'],
    [{ 'Retry-After': '30' }, 'pass: HTTP 429 with Retry-After (1); slowed down to 0.5/s'],
    [{ 'Retry-After': '0' }, 'pass: HTTP 429 with Retry-After (1); slowed down to 0.5/s'],
    [
      { 'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT' },
      'pass: HTTP 429 with Retry-After (1); slowed down to 0.5/s',
    ],
    [
      { 'Retry-After': '2 minutes' },
      'warn: HTTP 429 with a Retry-After that is neither seconds nor an HTTP date; slowed down to 0.5/s',
    ],
  ])('with %o', async (headers, verdict) => {
    const { url } = await startEndpoint(({ index }, response) => {
      response.writeHead(index === 0 ? 429 : 204, index === 0 ? headers : {}).end();
    });
    expect(await verdictOf(url, ['http.get', 'limit.429'])).toBe(verdict);
  });

  it('is not judged where no 429 was seen', async () => {
    const { url } = await startEndpoint();
    expect(await verdictOf(url, ['http.get', 'limit.429'])).toBe('na: no response was HTTP 429');
  });
});

describe('gone.410', () => {
  it('names HTTP 410', async () => {
    const { url } = await startEndpoint(({ index }) => (index === 1 ? 410 : 204));
    expect(await verdictOf(url, ['http.keep-alive', 'gone.410'])).toBe(
      'info: HTTP 410 (1 of 2): senders stop here',
    );
  });

  it('says that there was none', async () => {
    const { url } = await startEndpoint();
    expect(await verdictOf(url, ['http.get', 'gone.410'])).toBe('info: no response was HTTP 410');
  });
});
