import { expect, it } from 'vitest';
import { findDeadLetters } from '../../src/report/find-dead-letters.js';
import type { FailedDelivery } from '../../src/report/failed-deliveries.js';
import { folderWith } from '../helpers/folder.js';

const failed = (messageId: string | null): FailedDelivery => ({
  ...{ messageId, url: 'https://example.com/', at: '2026-11-20T08:30:00.000Z', attempt: 1 },
  ...{ status: 422, error: null, said: null },
});
const line = (messageId: string) =>
  `{"type":"dead-letter","event":{"type":"track","messageId":"${messageId}"}}\n`;

it('finds the dead-letter file that has the event that failed last', async () => {
  const folder = folderWith({
    'a-1.dead-letter.ndjson': line('m1') + line('m2'),
    'b-2.dead-letter.ndjson': line('m3'),
    'c.ndjson': line('m4'),
  });
  expect(await findDeadLetters(folder, [failed(null), failed('m2')])).toBe(
    'a-1.dead-letter.ndjson',
  );
  expect(await findDeadLetters(folder, [failed('m4')])).toBeUndefined();
  expect(await findDeadLetters(folder, [failed(null)])).toBeUndefined();
  expect(await findDeadLetters(`${folder}/none`, [failed('m1')])).toBeUndefined();
});
