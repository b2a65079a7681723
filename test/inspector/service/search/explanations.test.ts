import { expect, it } from 'vitest';
import { explanations } from '../../../../src/inspector/service/search/explanations.js';
import { destination, overview, source } from '../overview/overview.js';

const ago = () => '4 s ago';

it('names what may have become of an event, the most likely first', () => {
  const known = overview({
    refused: [
      { code: 'invalid_write_key', count: 2, message: 'no source has this key', lastAt: '' },
    ],
    sources: [
      source({ repeated: 1, lastReceivedAt: '2026-11-20T12:00:00.000Z' }),
      source({ name: 'app' }),
      source({ name: 'old', enabled: false }),
    ],
    destinations: [destination({ queued: 40 })],
  });
  expect(explanations(known, ago)).toEqual([
    'Its request was refused as a whole. 2 requests were, last 4 s ago: no source has this key (invalid_write_key).',
    'It waits for its first try: 40 events of crm do, and these are found once they were tried.',
    'It was left out, for web had sent its messageId within a day: that was so for 1 event.',
    'It never reached this service. Last seen: web 4 s ago, app never since the start, old (which is off).',
  ]);
});

it('says no more than that it never came where nothing else can be', () => {
  expect(explanations(overview(), ago)).toEqual([
    'It never reached this service. Last seen: web never since the start.',
  ]);
});
