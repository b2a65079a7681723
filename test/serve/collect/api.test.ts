import { expect, it } from 'vitest';
import { outcome, send, startCollecting, textOf } from './collecting.js';

it('smoke', async () => {
  const api = await startCollecting();
  expect(outcome(await send(api, { body: '{"batch":[{"type":"track","userId":"u","event":"e"}]}' }))).toBe('200 success');
  expect(api.accepted.map(textOf)).toEqual(['{"type":"track","userId":"u","event":"e"}']);
});
