import { describe, expect, it } from 'vitest';
import { basic, outcome, send, startCollecting, startedAt } from './collecting.js';

const good = '{"type":"track","userId":"u","event":"e","messageId":"m"}';
const strict = { ...basic, 'x-strict-mode': '1' };

it('passes on the source, the events and the time when the request began to arrive', async () => {
  const api = await startCollecting();
  await send(api, { body: `{"batch":[${good},{}]}` });
  expect(api.batches).toMatchObject([
    {
      source: { name: 'web' },
      receivedAt: startedAt,
      accepted: [
        {
          event: { origin: { file: 'web', line: 1, length: good.length } },
          stamp: { messageId: 'm', timestamp: '2026-11-20T08:30:00.000Z' },
        },
      ],
      rejected: [{ code: 'missing_type', isJson: true }],
    },
  ]);
});

it('responds only when all is stored', async () => {
  let store = (): void => undefined;
  const stored = new Promise<void>((resolve) => (store = resolve));
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const api = await startCollecting({
    accept: () => {
      begin();
      return stored;
    },
  });
  let isAnswered = false;
  const response = send(api, { body: `{"batch":[${good}]}` }).finally(() => (isAnswered = true));
  await begun;
  await send(api, { method: 'GET', path: '/health' });
  expect(isAnswered).toBe(false);
  store();
  expect(outcome(await response)).toBe('200 success');
});

describe('in strict mode', () => {
  it('one invalid event refuses the request, and all are listed', async () => {
    const api = await startCollecting();
    const response = await send(api, { headers: strict, body: `{"batch":[${good},{},${good},7]}` });
    expect(outcome(response)).toBe('400 invalid_events');
    expect(JSON.parse(response.body.toString()).errors).toEqual([
      { index: 1, code: 'missing_type', message: expect.any(String) },
      { index: 3, code: 'not_an_event', message: expect.any(String) },
    ]);
    expect(api.accepted).toEqual([]);
    expect(api.rejected.map(({ code }) => code)).toEqual(['missing_type', 'not_an_event']);
  });

  it('valid events are accepted', async () => {
    const api = await startCollecting();
    expect(outcome(await send(api, { headers: strict, body: `{"batch":[${good}]}` }))).toBe(
      '200 success',
    );
    expect(api.accepted.length).toBe(1);
  });
});

it.each([
  ['a bad single call', '/v1/track', '{"userId":"u"}'],
  ['a batch of bad calls', '/v1/batch', '{"batch":[{},7]}'],
])('%s is answered 200, and recorded', async (_title, path, body) => {
  const api = await startCollecting();
  expect(outcome(await send(api, { path, body }))).toBe('200 success');
  expect(api.accepted).toEqual([]);
  expect(api.rejected.length).toBeGreaterThan(0);
});

it.each([
  ['at the limit', '', []],
  ['with space beyond the limit', ' ', ['too_large']],
])('a single call %s', async (_title, space, codes) => {
  const api = await startCollecting();
  const [start, end] = ['{"type":"track","event":"e","userId":"', '"}'];
  const userId = 'u'.repeat(32_768 - start.length - end.length);
  await send(api, { path: '/v1/track', body: `${start}${userId}${end}${space}` });
  expect(api.rejected.map(({ code }) => code)).toEqual(codes);
});

it('accepts single calls as browsers send them', async () => {
  const api = await startCollecting();
  const body = `{"timestamp":"2026-11-20T08:29:59.000Z","integrations":{},"userId":"u","event":"e","writeKey":"k1","messageId":"ajs-next-1","sentAt":"2026-11-20T08:29:59.500Z"}`;
  await send(api, { path: '/v1/t', body });
  expect(api.accepted.map(({ event }) => event.bytes.toString())).toEqual([
    '{"timestamp":"2026-11-20T08:29:59.000Z","integrations":{},"userId":"u","event":"e","messageId":"ajs-next-1","type":"track"}',
  ]);
});

describe('a deletion request', () => {
  it.each([
    ['{"userId":"u-1"}', '"u-1"', '2026-11-20T08:30:00.000Z'],
    ['{"userId":"\\u00fc","writeKey":"k2","sentAt":1}', '"\\u00fc"', '2026-11-20T08:30:00.000Z'],
    [
      '{"timestamp":"2020-01-01T00:00:00+0100","userId":9007199254740993}',
      '9007199254740993',
      '2020-01-01T00:00:00+0100',
    ],
    ['{"userId":"u","timestamp":null}', '"u"', '2026-11-20T08:30:00.000Z'],
  ])('%s names the user and the time', async (body, userId, timestamp) => {
    const api = await startCollecting();
    expect(outcome(await send(api, { path: '/v1/delete', body }))).toBe('200 success');
    expect(api.deletions).toMatchObject([
      { source: { name: 'web' }, userId, timestamp, receivedAt: startedAt },
    ]);
    expect(api.batches).toEqual([]);
  });

  it.each([
    ['{}', '400 missing_user_id'],
    ['{"userId":null}', '400 missing_user_id'],
    ['{"userId":""}', '400 missing_user_id'],
    ['{"userId":["u"]}', '400 invalid_id'],
    ['{"userId":"u","userId":"v"}', '400 repeated_member'],
    ['{"userId":"u","timestamp":"soon"}', '400 invalid_timestamp'],
    ['{"userId":', '400 invalid_json'],
  ])('%s is refused', async (body, expected) => {
    const api = await startCollecting();
    expect(outcome(await send(api, { path: '/v1/delete', body }))).toBe(expected);
    expect(api.deletions).toEqual([]);
  });

  it('needs a write key', async () => {
    const api = await startCollecting();
    const response = await send(api, { path: '/v1/delete', headers: {}, body: '{"userId":"u"}' });
    expect(outcome(response)).toBe('401 invalid_write_key');
    const own = '{"userId":"u","writeKey":"k2"}';
    await send(api, { path: '/v1/delete', headers: {}, body: own });
    expect(api.deletions.map(({ source }) => source.name)).toEqual(['app']);
  });
});
