import { expect, test } from 'vitest';
import { check } from '../../src/check/library.js';

test.each([
  [{ only: 'sign.*' }, 'check: only must be a list of texts'],
  [{ skip: [5] }, 'check: skip must be a list of texts'],
  [{ ca: 'pem' }, 'check: ca must be a list of texts'],
  [{ probe: 5 }, 'check: probe must be a function'],
  [{ signal: {} }, 'check: signal must be an AbortSignal'],
  [{ headers: { A: 1 } }, 'check: headers must be an object with a text for each name'],
  [{ secret: 5 }, 'check: secret must be a string, bytes, or a list of these'],
  [{ secret: [] }, 'check: secret must be a string, bytes, or a list of these'],
  [{ rate: 0 }, 'check: rate must be a number above 0'],
  [{ deadline: 5 }, 'check: unknown option "deadline"; did you mean deadlineMs?'],
  [{ skip: ['*'] }, 'no check is left; remove --only or --skip'],
])('%j is refused before anything is sent', async (options, message) => {
  await expect(check('http://127.0.0.1:9/hook', options as object)).rejects.toMatchObject({
    name: 'UsageError',
    message,
  });
});
