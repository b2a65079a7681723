import { expect, it } from 'vitest';
import type { SearchResult } from '../../../../src/inspector/service-api.js';
import { explanations } from '../../../../src/inspector/service/search/explanations.js';
import { overview, source } from '../overview/overview.js';

const times = { ago: () => '4 s ago', moment: () => '12:00' };

function result(change: Partial<SearchResult> = {}): SearchResult {
  return {
    ...{ at: '', queued: [], waiting: [], deadLetters: [], rejected: [], history: [] },
    ...{ historyFrom: null, isComplete: true, seen: [] },
    ...change,
  };
}

it('names what may have become of an event, the most likely first', () => {
  const known = overview({
    refused: [
      { code: 'invalid_write_key', count: 2, message: 'no source has this key', lastAt: '' },
    ],
    sources: [
      source({ lastReceivedAt: '2026-11-20T12:00:00.000Z' }),
      source({ name: 'app' }),
      source({ name: 'old', enabled: false }),
    ],
  });
  expect(explanations(known, result({ historyFrom: 'x', isComplete: false }), times)).toEqual([
    'There was too much to look through. A whole messageId finds more than a part of one.',
    'Its request was refused as a whole. 2 requests were, last 4 s ago: no source has this key (invalid_write_key).',
    'It never reached this service. As a messageId, no source sent it within the last day. Last seen: web 4 s ago, app never since the start, old (which is off).',
    'It was done with before 12:00; the history goes back no further.',
  ]);
});

it('knows that an event did come, though nothing else is kept of it', () => {
  const seen = [{ source: 'web', at: '' }];
  const [text, ...more] = explanations(overview(), result({ seen, historyFrom: 'x' }), times);
  expect(text).toMatch(/^It did come: web sent this messageId 4 s ago.*goes back to 12:00\.$/);
  expect(more).toEqual([]);
});

it('says no more than that it never came where nothing else can be', () => {
  expect(explanations(overview(), result(), times)).toEqual([
    'It never reached this service. As a messageId, no source sent it within the last day. Last seen: web never since the start.',
  ]);
});
