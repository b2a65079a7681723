import { expect, test } from 'vitest';
import { check } from '../../src/check/library.js';
import { startEndpoint, type Arrived } from './helpers/endpoint.js';

test.each([
  [{ only: 'sign.*' }, 'check: only must be a list of texts'],
  [{ skip: [5] }, 'check: skip must be a list of texts'],
  [{ ca: 'pem' }, 'check: ca must be a list of texts'],
  [{ probe: 5 }, 'check: probe must be a function'],
  [{ signal: {} }, 'check: signal must be an AbortSignal'],
  [{ headers: { A: 1 } }, 'check: headers must be an object with a text for each name'],
  [{ secret: 5 }, 'check: secret must be a string, bytes, or a list of these'],
  [{ secret: [] }, 'check: secret must be a string, bytes, or a list of these'],
  [{ bodies: { a: 1 } }, 'check: bodies must be an object with a text for each name'],
  [{ idPath: 'id' }, '--id-path and --id-header are for --body; use them with it'],
  [
    { bodies: { order: '{' } },
    'check: the body "order": not JSON; correct it, or pass a form or a capture',
  ],
  [{ rate: 0 }, 'check: rate must be a number above 0'],
  [{ deadline: 5 }, 'check: unknown option "deadline"; did you mean deadlineMs?'],
  [{ skip: ['*'] }, 'no check is left; remove --only or --skip'],
])('%j is refused before anything is sent', async (options, message) => {
  await expect(check('http://127.0.0.1:9/hook', options as object)).rejects.toMatchObject({
    name: 'UsageError',
    message,
  });
});

test('bodies replace the events of the sender', async () => {
  const { url, arrived } = await startEndpoint();
  const bodies = { order: '{"id":"o1","total":12}' };
  const report = await check(url, { bodies, idPath: 'id', only: ['accept'] });
  expect(report.checks.map(({ id }) => id)).toContain('accept.order');
  const [{ body }] = arrived as [Arrived];
  expect(JSON.parse(body.toString())).toEqual({
    id: expect.stringMatching(/^evfwd-check-/) as string,
    total: 12,
  });
});

test('a rotation is checked with secrets that the scheme carries one at a time, too', async () => {
  const { url } = await startEndpoint();
  const secret = ['the new secret', 'the old secret'];
  const report = await check(url, { scheme: 'github', secret, only: ['sign.rotation'] });
  expect(report.checks.find(({ id }) => id === 'sign.rotation')?.verdict).toBe('pass');
});
