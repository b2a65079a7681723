import { expect, it } from 'vitest';
import { LostState } from '../../../src/commands/serve/lost-state.js';
import { StateError } from '../../../src/errors.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

function scene() {
  const clock = new VirtualClock();
  const logged: string[] = [];
  const lostFor: string[] = [];
  const add = (_fields: object, message: string): void => void logged.push(message);
  const log = { debug: add, info: add, warn: add, error: add };
  const lost = new LostState(log, clock, ({ message }) => lostFor.push(message));
  return { clock, logged, lostFor, lost };
}

const full = new StateError('full');

it('a state that is lost before the service has started ends it after 10 s', () => {
  const { clock, logged, lostFor, lost } = scene();
  lost.note(full);
  expect(logged).toEqual(['the state cannot be written; clients get 503']);
  clock.advance(9_999);
  expect(lostFor).toEqual([]);
  clock.advance(1);
  expect(lostFor).toEqual(['full']);
});

it('a state that can be written again in time ends nothing, whenever the service has started', () => {
  const { clock, logged, lostFor, lost } = scene();
  lost.note(full);
  lost.note(full);
  lost.begin({ failure: undefined });
  clock.advance(10_000);
  expect(lostFor).toEqual([]);
  expect(logged.at(-1)).toBe('the state can be written again');
  expect(logged).toHaveLength(2);
});

it('ends nothing when the service was stopped', () => {
  const { clock, lostFor, lost } = scene();
  lost.note(full);
  lost.end();
  clock.advance(10_000);
  expect(lostFor).toEqual([]);
});
