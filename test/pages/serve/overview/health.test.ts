import { expect, it } from 'vitest';
import { healthOf } from '../../../../pages/serve/overview/health.js';
import { at, outcome } from '../outcomes/samples.js';
import { destination } from './overview.js';

const down = [{ url: 'https://crm.example.com/', down: true, pausedUntil: null, headerNames: [] }];
const up = [{ url: 'https://b.example.com/', down: false, pausedUntil: null, headerNames: [] }];
const paused = [{ ...up[0]!, pausedUntil: at(60) }];
const failed = outcome({ state: 'failed' });
const elsewhere = outcome({ destination: 'other' });

it.each([
  ['idle', destination(), []],
  ['idle', destination(), [outcome({ state: 'skipped' })]],
  ['idle', destination(), [elsewhere]],
  ['off', destination({ enabled: false, retrying: 3 }), [failed]],
  ['delivering', destination({ delivered: 5 }), [outcome()]],
  ['delivering', destination({ delivered: 5 }), []],
  ['waiting', destination({ retrying: 1 }), [failed, outcome()]],
  ['down', destination({ retrying: 1 }), [elsewhere]],
  ['down', destination(), [failed, elsewhere]],
  ['down', destination({ endpoints: down }), [outcome()]],
  ['delivering', destination({ endpoints: [...down, ...up], delivered: 1 }), [outcome()]],
  ['paused', destination({ endpoints: paused, retrying: 1 }), [failed]],
  ['delivering', destination({ endpoints: [...paused, ...up], delivered: 1 }), [outcome()]],
  ['off', destination({ endpoints: paused, enabled: false }), []],
])('is %s', (health, state, outcomes) => {
  expect(healthOf(state, outcomes)).toBe(health);
});

it('is down when nothing has got through of late, whatever did before', () => {
  const outcomes = [...Array.from({ length: 20 }, () => failed), outcome()];
  expect(healthOf(destination({ delivered: 9000 }), outcomes)).toBe('down');
});
