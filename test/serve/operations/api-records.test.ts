import { expect, it } from 'vitest';
import { shortOverview, withoutResponses } from '../../../src/serve/operations/api-records.js';
import { outcome } from '../../pages/serve/outcomes/samples.js';
import { destination, overview } from '../../pages/serve/overview/overview.js';

const response = { headers: {}, body: 'x'.repeat(4096) };
const short = { at: 'a', url: 'u', attempt: 1, status: 500, error: null, durationMs: 2 };
const attempt = { ...short, response };

it('the stream leaves out what responses said, and nothing else', () => {
  const row = outcome({ endpoints: [attempt, short] });
  expect(withoutResponses({ ...row, response })).toEqual({ ...row, endpoints: [short, short] });
  const full = overview({ destinations: [destination({ lastFailure: attempt }), destination()] });
  const lastFailures = shortOverview(full).destinations.map(({ lastFailure }) => lastFailure);
  expect(lastFailures).toEqual([short, null]);
});
