import { expect, it } from 'vitest';
import { healthOf, lastResultOf } from '../../../../pages/serve/overview/health.js';
import { at } from '../outcomes/samples.js';
import { destination, endpoint } from './overview.js';

const up = endpoint({ health: 'up' });
const down = endpoint({ health: 'down', lastError: 'refused' });
const failing = endpoint({ health: 'failing', lastStatus: 503 });
const gone = endpoint({ health: 'gone', lastStatus: 410 });
const paused = endpoint({ health: 'failing', pausedUntil: at(60) });

it.each([
  ['idle', destination()],
  ['waiting', destination({ retrying: 1 })],
  ['off', destination({ enabled: false, retrying: 3, endpoints: [down] })],
  ['removed', destination({ configured: false, enabled: false, endpoints: [] })],
  ['delivering', destination({ endpoints: [up] })],
  ['waiting', destination({ endpoints: [up], retrying: 1 })],
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
