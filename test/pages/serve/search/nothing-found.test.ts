import { expect, it } from 'vitest';
import { explanations } from '../../../../pages/serve/search/nothing-found.js';
import type { SearchResult } from '../../../../src/api/serve.js';
import { overview, source } from '../overview/overview.js';

const times = { ago: () => '4 s ago', timestamp: () => '12:00' };

function result(change: Partial<SearchResult> = {}): SearchResult {
  return {
    ...{ at: '', events: [], historyFrom: null, isComplete: true, seen: [] },
    ...change,
  };
}

it('lists what may have happened to an event, the most likely first', () => {
  const known = overview({
    refused: [
      {
        ...{ code: 'invalid_write_key', source: null, count: 2 },
        ...{ message: 'no source has this key', lastAt: '' },
      },
      {
        ...{ code: 'signature_invalid', source: 'hooks', count: 1 },
        ...{ message: 'it is not valid', lastAt: '' },
      },
    ],
    sources: [
      source({ lastReceivedAt: '2026-11-20T12:00:00.000Z' }),
      source({ name: 'app' }),
      source({ name: 'old', enabled: false }),
    ],
  });
  expect(explanations(known, result({ historyFrom: 'x', isComplete: false }), times)).toEqual([
    'The search was stopped because there was too much data. Search for a whole messageId to find more.',
    'Its whole request was refused. 2 requests were refused, most recently 4 s ago: no source has this key (invalid_write_key).',
    'Its whole request was refused. 1 request was refused at hooks, most recently 4 s ago: it is not valid (signature_invalid).',
    'It never reached this service: no source sent this messageId within the last day. Last seen since the service started: web 4 s ago, app never, old (disabled).',
    'It was completed before the history begins (12:00).',
  ]);
});

it('knows that an event was received, even without any other record of it', () => {
  const seen = [{ source: 'web', at: '' }];
  const [text, ...more] = explanations(overview(), result({ seen, historyFrom: 'x' }), times);
  expect(text).toMatch(/^It was received: web sent this messageId 4 s ago.*goes back to 12:00\.$/);
  expect(more).toEqual([]);
});

it('says only that the event was never received when there is no other explanation', () => {
  expect(explanations(overview(), result(), times)).toEqual([
    'It never reached this service: no source sent this messageId within the last day. Last seen since the service started: web never.',
  ]);
});

it('says that not the body of every request is searched', () => {
  const raw = { path: '/in/hooks', scheme: 'auto', verified: false, enforced: false };
  const known = overview({ sources: [source({ raw })] });
  expect(explanations(known, result(), times).at(-1)).toBe(
    'It is in the body of a delivered request: only those of the newest 1,000 are searched.',
  );
});
