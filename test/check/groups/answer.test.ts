import { describe, expect, it } from 'vitest';
import { setTimeout as wait } from 'node:timers/promises';
import { startEndpoint, type Behaviour } from '../helpers/endpoint.js';
import { runSome, verdictOf } from '../helpers/run-some.js';

const afterMs =
  (ms: number): Behaviour =>
  async (_, response) => {
    await wait(ms);
    response.end('ok');
  };

const body =
  (status: number, text: string, headers: Record<string, string> = {}): Behaviour =>
  (_, response) => {
    response.sendDate = false;
    response.writeHead(status, headers).end(text);
  };

describe('answer.deadline', () => {
  it('passes where each of its 20 events is answered in time', async () => {
    const { url, arrived } = await startEndpoint();
    expect(await verdictOf(url, ['answer.deadline'])).toMatch(
      /^pass: slowest of 20 events \d+ ms$/,
    );
    expect(arrived).toHaveLength(20);
    expect(new Set(arrived.map((request) => messageIdOf(request.body))).size).toBe(20);
  });

  it('fails at the first event that is answered late, and sends no more', async () => {
    const { url, arrived } = await startEndpoint(afterMs(120));
    const verdict = await verdictOf(url, ['answer.deadline'], { deadlineMs: 100 });
    expect(verdict).toMatch(
      /^fail: HTTP 200 after \d+ ms, expected < 100 ms \(1 of 1 event late\)$/,
    );
    expect(arrived).toHaveLength(1);
  });

  it('fails where no response comes in three times the deadline', async () => {
    const { url } = await startEndpoint(() => undefined);
    const verdict = await verdictOf(url, ['answer.deadline'], { deadlineMs: 30 });
    expect(verdict).toMatch(/^fail: no response within \d+ ms, expected < 30 ms/);
  });

  it('counts the events of other checks as well, but not those that the check sends slowly', async () => {
    const { url } = await startEndpoint(({ message }, response) => {
      const isChunked = message.headers['transfer-encoding'] !== undefined;
      return afterMs(isChunked ? 150 : 0)({} as never, response);
    });
    const late = await verdictOf(url, ['http.chunked', 'answer.deadline'], { deadlineMs: 100 });
    expect(late).toMatch(/^fail: HTTP 200 after .* \(1 of 21 events late\)$/);
    const slow = await verdictOf(url, ['http.expect-100', 'answer.deadline'], { deadlineMs: 100 });
    expect(slow).toMatch(/^pass/);
  });
});

describe('answer.quick', () => {
  it.each([
    ['a tenth of the responses', (index: number) => (index % 10 === 0 ? 1_050 : 0), 'warn'],
    ['one response of 21', (index: number) => (index === 3 ? 1_050 : 0), 'pass'],
  ])('with %s after more than a second', async (_, delayOf, verdict) => {
    const { url } = await startEndpoint((request, response) =>
      afterMs(delayOf(request.index))(request, response),
    );
    const results = await runSome(url, ['accept.track', 'answer.deadline', 'answer.quick']);
    expect(results.at(-1)!.verdict).toBe(verdict);
    expect(results.at(-1)!.message).toMatch(
      verdict === 'warn'
        ? /^p95 1\.\d s of 21 events, expected < 1 s$/
        : /^p95 \d+ ms of 21 events$/,
    );
  });
});

describe('answer.status', () => {
  it.each([
    ['204', () => 204, 'info: HTTP 204'],
    ['202', () => 202, 'info: HTTP 202'],
    ['201 without a body', () => 201, 'info: HTTP 201'],
    ['200 with a typed body', body(200, 'ok', { 'Content-Type': 'text/plain' }), 'info: HTTP 200'],
    ['200 without a body', () => 200, 'info: HTTP 200 without a body; 204 says the same (1 of 1)'],
    [
      'a body without type',
      body(200, 'ok'),
      'info: HTTP 200 with a body without Content-Type (1 of 1)',
    ],
    ['203', () => 203, 'info: HTTP 203 is unusual; 204 is right (1 of 1)'],
    ['500', () => 500, 'na: no valid event was accepted'],
  ] as [string, Behaviour, string][])('names what is odd: %s', async (_, behaviour, verdict) => {
    const { url } = await startEndpoint(behaviour);
    const results = await runSome(url, ['http.query', 'answer.status']);
    expect(`${results.at(-1)!.verdict}: ${results.at(-1)!.message}`).toBe(verdict);
  });
});

describe('answer.small', () => {
  const endless: Behaviour = (_, response) => {
    const timer = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(timer));
  };
  const broken: Behaviour = (_, response) => {
    response.writeHead(200, { 'Content-Length': '10' });
    response.write('half.');
    setImmediate(() => response.destroy());
  };

  it.each([
    ['a short body', body(200, 'ok'), 'pass: longest body of 1 response: 2 bytes'],
    [
      'a long body',
      body(200, 'x'.repeat(20_000)),
      'warn: the body of a response is longer than 16 KB',
    ],
    ['a stream', endless, 'warn: the body of a response did not end within 5 s'],
    ['half a body', broken, 'warn: the connection was closed in the middle of a response'],
  ])('with %s', async (_, behaviour, verdict) => {
    const { url } = await startEndpoint(behaviour);
    expect(await verdictOf(url, ['http.query', 'answer.small'])).toBe(verdict);
  });
});

function messageIdOf(event: Buffer): unknown {
  return (JSON.parse(event.toString()) as { messageId: unknown }).messageId;
}
