import { expect, it } from 'vitest';
import { shortDelivery, shortOverview } from '../../../src/serve/operations/stream-rows.js';
import { delivery } from '../../pages/serve/outcomes/samples.js';
import { destination, overview } from '../../pages/serve/overview/overview.js';

const response = { headers: {}, body: 'x'.repeat(4096) };
const short = { at: 'a', url: 'u', attempt: 1, status: 500, error: null, durationMs: 2 };
const attempt = { ...short, response };

it('the stream leaves out what responses said, and nothing else', () => {
  const row = delivery({ attempts: [attempt, short] });
  expect(shortDelivery(row)).toEqual({ ...row, attempts: [short, short] });
  const full = overview({ destinations: [destination({ lastFailure: attempt }), destination()] });
  const lastFailures = shortOverview(full).destinations.map(({ lastFailure }) => lastFailure);
  expect(lastFailures).toEqual([short, null]);
});
