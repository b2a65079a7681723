import { expect, it } from 'vitest';
import {
  percentOf,
  progressText,
  selectionText,
} from '../../../../pages/serve/replays/progress.js';
import type { ReplayRow } from '../../../../src/api/serve.js';
import { at, noon } from '../outcomes/samples.js';

function replay(change: Partial<ReplayRow> = {}): ReplayRow {
  return {
    ...{ id: 'a1', destination: 'crm', state: 'running', sent: 0, total: null, skipped: 0 },
    ...{ message: null, createdAt: at(0), endedAt: null, selection: { state: 'any' } },
    ...change,
  };
}

it.each<[Partial<ReplayRow>, string, number | undefined]>([
  [{}, 'counting the events', undefined],
  [{ total: 0 }, '0 of 0 sent, 100%', 100],
  [{ total: 5000, sent: 1234 }, '1,234 of 5,000 sent, 24%', 24],
  [{ total: 1000, sent: 999 }, '999 of 1,000 sent, 99%', 99],
  [{ total: 100, sent: 30, skipped: 20 }, '30 of 100 sent, 50%, 20 skipped', 50],
  [{ state: 'finished', total: 100, sent: 97, skipped: 3 }, '97 sent, 3 skipped', 100],
  [{ state: 'finished', total: 5, sent: 5 }, '5 sent', 100],
  [{ state: 'stopped', total: 5000, sent: 12 }, '12 of 5,000 sent', 0],
  [{ state: 'stopped' }, '0 sent', undefined],
])('a replay with %j is "%s"', (change, text, percent) => {
  expect(progressText(replay(change))).toBe(text);
  expect(percentOf(replay(change))).toBe(percent);
});

it.each<[ReplayRow['selection'], string]>([
  [{ state: 'any' }, 'no rate limit'],
  [{ state: 'dead', rate: '100/s' }, 'only dead letters · 100/s'],
  [{ state: 'delivered', rate: '1.5/s' }, 'only delivered · 1.5/s'],
  [{ rate: `${1000 / 3600 / 10}/s` }, '100/h'],
  [{ types: ['track', 'page'], users: ['a', 'b'] }, 'track, page · 2 users · no rate limit'],
  [{ events: ['Signed *'], where: ['a=b', '!c'] }, 'Signed * · a=b, !c · no rate limit'],
])('what %j selects is "%s"', (selection, text) => {
  expect(selectionText(replay({ selection }), noon)).toBe(text);
});

it('times of a selection are those of the reader', () => {
  const selection = { since: at(0), until: at(-86_400_000) };
  expect(selectionText(replay({ selection }), noon)).toMatch(
    /^from [\d:]{8} · before \d{4}-\d\d-\d\d [\d:]{8} · no rate limit$/,
  );
});
