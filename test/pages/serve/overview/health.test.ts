import { expect, it } from 'vitest';
import {
  attentionOf,
  healthOf,
  lastResultOf,
  stateText,
} from '../../../../pages/serve/overview/health.js';
import { at } from '../outcomes/samples.js';
import { destination, endpoint } from './overview.js';

const up = endpoint({ health: 'up' });
const down = endpoint({ health: 'down', lastError: 'refused' });
const failing = endpoint({ health: 'failing', lastStatus: 503 });
const gone = endpoint({ health: 'gone', lastStatus: 410 });
const paused = endpoint({ health: 'failing', pausedUntil: at(60) });

const share = (delivered: number, failedAttempts: number) => ({ delivered, failedAttempts });

it.each([
  ['idle', destination()],
  ['waiting', destination({ retrying: 1 })],
  ['off', destination({ enabled: false, retrying: 3, endpoints: [down] })],
  ['removed', destination({ configured: false, enabled: false, endpoints: [] })],
  ['delivering', destination({ endpoints: [up] })],
  ['waiting', destination({ endpoints: [up], retrying: 1 })],
  ['delivering', destination({ endpoints: [up], retrying: 1, lastMinute: share(94, 6) })],
  ['failing', destination({ endpoints: [failing], retrying: 1 })],
  ['down', destination({ endpoints: [down], retrying: 1 })],
  ['gone', destination({ endpoints: [gone] })],
  ['delivering', destination({ endpoints: [down, up] })],
  ['failing', destination({ endpoints: [down, gone, failing] })],
  ['down', destination({ endpoints: [gone, down] })],
  ['paused', destination({ endpoints: [paused], retrying: 1 })],
  ['delivering', destination({ endpoints: [paused, up] })],
  ['off', destination({ endpoints: [paused], enabled: false })],
])('is %s', (health, state) => {
  expect(healthOf(state)).toBe(health);
});

it('names the status of an endpoint that responds and refuses, and no other', () => {
  const resultOf = (...endpoints: (typeof up)[]) => {
    const state = destination({ endpoints });
    return lastResultOf(state, healthOf(state));
  };
  expect(resultOf(failing)).toBe('503');
  expect(resultOf(gone)).toBe('410');
  expect(resultOf(endpoint({ health: 'failing', lastError: 'timeout' }))).toBe('timed out');
  expect(resultOf(down)).toBeUndefined();
  expect(resultOf(up)).toBeUndefined();
});

it.each([
  [share(94, 6), 0, 'delivering, 6% failing'],
  [share(999, 1), 0, 'delivering, <1% failing'],
  [share(100, 0), 0, 'delivering'],
  // The overview is older than its last minute.
  [share(94, 6), 60_000, 'delivering'],
])('that delivers says which share of %j fails, %i ms later: %s', (lastMinute, ageMs, text) => {
  const state = destination({ endpoints: [up], lastMinute });
  expect(stateText(state, healthOf(state), ageMs)).toBe(text);
});

it.each([
  [[up, up], 'All destinations deliver', 0],
  [[up, endpoint()], 'All destinations in use deliver', 0],
  [[endpoint()], 'No destination has got an event yet', 0],
  [[failing], '1 destination needs attention', 1],
  [[up, down, gone, paused], '3 destinations need attention', 3],
])('sums up the destinations with %j', (endpoints, text, count) => {
  const all = endpoints.map((one) => destination({ endpoints: [one] }));
  const { text: found, names } = attentionOf(all);
  expect([found, names.length]).toEqual([text, count]);
});
