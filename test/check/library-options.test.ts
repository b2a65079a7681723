import { expect, test } from 'vitest';
import { check } from '../../src/check/library.js';

test.each([
  [{ only: 'sign.*' }, 'check: only must be an array of strings'],
  [{ skip: [5] }, 'check: skip must be an array of strings'],
  [{ ca: 'pem' }, 'check: ca must be an array of strings'],
  [{ skip: ['*'] }, 'no check is left; remove --only or --skip'],
])('%j is refused before anything is sent', async (options, message) => {
  await expect(check('http://127.0.0.1:9/hook', options as object)).rejects.toMatchObject({
    name: 'UsageError',
    message,
  });
});
