import { describe, expect, it } from 'vitest';
import { outcome, send, startCollecting } from './collecting.js';

const call = '"type":"track","userId":"u","event":"e"';

function basicOf(text: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}

type Row = [
  title: string,
  expected: string,
  headers: Record<string, string>,
  body: string,
  query?: string,
];

const rows: Row[] = [
  ['Basic with a colon', 'web', basicOf('k1:'), ''],
  ['Basic without a colon', 'web', basicOf('k1'), ''],
  ['Basic with a password', 'web', basicOf('k1:secret'), ''],
  [
    'basic in lower case',
    'web',
    { authorization: basicOf('k1:').authorization!.toLowerCase().replace(/\S+$/, 'azE6') },
    '',
  ],
  ['X-Write-Key', 'web', { 'x-write-key': 'k1' }, ''],
  ['X-Write-Key with a password', 'web', { 'x-write-key': 'k1:secret' }, ''],
  ['the body', 'web', {}, ',"writeKey":"k1"'],
  ['a Bearer token beside the body', 'web', { authorization: 'Bearer abc' }, ',"writeKey":"k1"'],
  ['the query', 'web', {}, '', '?writeKey=k1'],
  ['Basic before X-Write-Key', 'web', { ...basicOf('k1:'), 'x-write-key': 'k2' }, ''],
  ['X-Write-Key before a masked body', 'web', { 'x-write-key': 'k1' }, ',"writeKey":"***"'],
  ['the body before the query', 'web', {}, ',"writeKey":"k1"', '?writeKey=k2'],
  ['an empty Basic before the body', 'web', basicOf(':'), ',"writeKey":"k1"'],
  ['an unknown Basic, a known body', 'none', basicOf('zzz-unknown:'), ',"writeKey":"k1"'],
  ['an unknown key in the body', 'none', {}, ',"writeKey":"zzz-unknown"'],
  ['a key that is no text', 'none', {}, ',"writeKey":1'],
  ['no key', 'none', {}, ''],
  ['Bearer alone', 'none', { authorization: 'Bearer azE6' }, ''],
  ['a key that Object has', 'none', { 'x-write-key': '__proto__' }, ''],
];

describe.each(['/v1/batch', '/v1/track'])('the write key at %s', (path) => {
  it.each<Row>(rows)('%s: %s', async (...[, expected, headers, member, query = '']) => {
    const api = await startCollecting();
    const body = path === '/v1/batch' ? `{"batch":[{${call}}]${member}}` : `{${call}${member}}`;
    const response = await send(api, { path: path + query, headers, body });
    expect(outcome(response)).toBe(expected === 'none' ? '401 invalid_write_key' : '200 success');
    expect(api.batches.map(({ source }) => source.name)).toEqual(
      expected === 'none' ? [] : [expected],
    );
    expect(response.body.includes('zzz')).toBe(false);
    for (const { event } of api.accepted) expect(event.bytes.toString()).toBe(`{${call}}`);
  });
});

it('is found inside the messages of a batch, and removed', async () => {
  const api = await startCollecting();
  const body = `{"batch":[{${call}},7,{"writeKey":"k2",${call}}]}`;
  expect(outcome(await send(api, { headers: {}, body }))).toBe('200 success');
  expect(api.batches[0]!.source.name).toBe('app');
  expect(api.accepted.map(({ event }) => event.bytes.toString())).toEqual([
    `{${call}}`,
    `{${call}}`,
  ]);
});

it('is removed from rejected calls, too', async () => {
  const api = await startCollecting();
  const big = 'x'.repeat(40_000);
  const deep = '['.repeat(300) + ']'.repeat(300);
  const messages = [
    '{"writeKey":"k2","type":"x"}',
    `{"writeKey":"k2","a":"${big}"}`,
    `{"writeKey":"k2","a":${deep}}`,
  ];
  expect(outcome(await send(api, { headers: {}, body: `{"batch":[${messages.join()}]}` }))).toBe(
    '200 success',
  );
  expect(api.rejected.map(({ code }) => code)).toEqual(['unknown_type', 'too_large', 'too_deep']);
  expect(api.rejected.map(({ bytes }) => bytes.toString())).toEqual([
    '{"type":"x"}',
    `{"a":"${big}"}`,
    `{"a":${deep}}`,
  ]);
});

it('of a disabled source is accepted', async () => {
  const api = await startCollecting();
  const body = `{"batch":[{${call}}],"writeKey":"off"}`;
  expect(outcome(await send(api, { headers: {}, body }))).toBe('200 success');
  expect(api.batches[0]!.source.isEnabled).toBe(false);
});
