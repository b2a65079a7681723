import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';
import { captureOfEntry, isHar } from '../../../src/sources/formats/har.js';

const again =
  'export it again with content: in the network tab of a browser, "Save all as HAR with content"';

const entry = (request: Record<string, unknown>, response: unknown = { status: 0 }) => ({
  startedDateTime: '2026-10-01T08:00:00.000+02:00',
  request: { method: 'POST', url: 'https://a.example.com/x', headers: [], ...request },
  response,
});

const captureOf = (request: Record<string, unknown>, response?: unknown) =>
  captureOfEntry(entry(request, response), 7);

describe('an entry of a HAR file', () => {
  it('becomes a capture, with its number in its id', () => {
    expect(captureOf({})).toEqual({
      capture: {
        type: 'request',
        id: '2026-10-01T08:00:00.000+02:00#7',
        receivedAt: '2026-10-01T08:00:00.000+02:00',
        method: 'POST',
        path: '/x',
        headers: { host: 'a.example.com' },
        body: '',
      },
    });
  });

  it.each([
    ['https://a/x/../y?z=1#top', '/x/../y?z=1'],
    ['https://a', '/'],
    ['https://a?q', '/?q'],
    ['https://u:p@a:8443//b', '//b'],
  ])('of %s has the path %s', (url, path) => {
    expect(captureOf({ url })).toMatchObject({ capture: { path } });
  });

  it('has no pseudo headers, and all values of a repeated one', () => {
    const headers = [
      { name: ':authority', value: 'a' },
      { name: 'X-A', value: '1' },
      { name: 'x-a', value: '2' },
    ];
    expect(captureOf({ headers })).toMatchObject({
      capture: { headers: { host: 'a.example.com', 'x-a': ['1', '2'] } },
    });
  });

  it.each([
    ['UTF-8', { text: 'ü' }, { body: 'ü' }],
    ['base64', { text: '/wD+', encoding: 'base64' }, { bodyBase64: '/wD+' }],
  ])('has a body of %s', (_title, postData, body) => {
    expect(captureOf({ postData })).toMatchObject({ capture: body });
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      'the size of a body without its bytes',
      { bodySize: 5, url: 'https://u:p@a.example.com/x?token=hidden#top' },
      `entry 7, POST https://a.example.com/x: the file does not have the body that was sent; ${again}`,
    ],
    [
      'the fields of a form without its bytes',
      { postData: { params: [{ name: 'a' }] } },
      `entry 7, POST https://a.example.com/x: the file does not have the body that was sent; ${again}`,
    ],
    [
      'a body that is not the base64 it says',
      { postData: { text: 'ä', encoding: 'base64' } },
      `entry 7, POST https://a.example.com/x: the body is not the base64 that its encoding says; ${again}`,
    ],
    [
      'a URL of another protocol',
      { url: 'wss://a/x?token=hidden' },
      'entry 7, POST: its URL is not an http:// or https:// URL; leave it out',
    ],
    ['no method', { method: undefined }, `entry 7: has no request with a method; ${again}`],
  ])('cannot be sent with %s', (_title, request, unusable) => {
    expect(captureOf(request)).toEqual({ unusable });
  });

  it.each([
    [
      { status: 201, content: { text: 'a' } },
      { status: 201, body: 'a' },
    ],
    [
      { status: 200, content: { text: 'AA==', encoding: 'base64' } },
      { status: 200, bodyBase64: 'AA==' },
    ],
    [{ status: 204 }, { status: 204 }],
  ])('has the response %j', (response, expected) => {
    expect(captureOf({}, response)).toMatchObject({ capture: { response: expected } });
  });
});

describe('a HAR file', () => {
  it.each([
    ['{"log":{', true],
    ['\ufeff{\n  "log": {\n', true],
    ['{"type":"request"}\n', false],
    ['{"log":"x"}', false],
  ])('%j: %s', (beginning, expected) => {
    expect(isHar(Buffer.from(beginning))).toBe(expected);
  });
});

it('says which entries have no body, for import and validate', async () => {
  const request = { method: 'POST', url: 'https://a.example/hook?key=hidden', bodySize: 7 };
  const folder = folderWith({ 'a.har': JSON.stringify({ log: { entries: [{ request }, null] } }) });
  const message = `entry 1, POST https://a.example/hook: the file does not have the body that was sent; ${again}`;
  const file = join(folder, 'a.har');
  const { stdout } = await inProcess(['validate', file]);
  expect(stdout).toBe(
    [
      `${file}:1: ${message} (bad_har_entry)`,
      `${file}:2: entry 2: has no request with a method; ${again} (bad_har_entry)`,
      '2 events: 0 valid, 2 invalid\n',
    ].join('\n'),
  );
  const state = ['--state-dir', join(folder, 'state')];
  const { stderr } = await inProcess(['import', file, '--url', 'http://127.0.0.1:1', ...state]);
  expect(stderr).toContain(`${file}:1: rejected: ${message}\n`);
  expect(stderr).toContain('2 HAR entries lack what is to be sent and cannot be retried');
});

it('has the events that its requests carried, for import and validate', async () => {
  const bodies = ['{"type":"track","event":"A","userId":"u"}', '', '{"a":1}', '{"batch":[]}'];
  const entries = bodies.map((text) => ({
    request: { method: 'POST', url: 'https://a.example/hook', headers: [], postData: { text } },
  }));
  const har = JSON.stringify({ log: { version: '1.2', entries } });
  const late = `{\n"comment": "x",\n${har.slice(1)}`;
  const folder = folderWith({ 'a.har': har, 'a.gz': gzipSync(har), 'late.har': late });
  for (const name of ['a.har', 'a.gz', 'late.har']) {
    const { stdout } = await inProcess(['validate', join(folder, name), '--json']);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([
      { line: 2, code: 'not_an_event', message: expect.stringContaining('evfwd replay') as string },
      { line: 3, code: 'not_an_event' },
      { line: 4, code: 'batch_capture' },
      { read: 4, valid: 1, invalid: 3 },
    ]);
  }
  const first = await inProcess([
    'import',
    join(folder, 'a.har'),
    '--plan',
    '--json',
    '--url',
    'http://127.0.0.1:9',
  ]);
  expect(JSON.parse(first.stdout)).toMatchObject({ types: { track: 1 }, rejected: 3, users: 1 });
});
