import { expect, it, onTestFinished } from 'vitest';
import { Hangup } from '../../../src/commands/serve/hangup.js';

function hangupOf(): { hangup: Hangup; reloads: () => number; reload: () => number } {
  let reloads = 0;
  const hangup = new Hangup();
  onTestFinished(() => hangup.end());
  return { hangup, reloads: () => reloads, reload: () => (reloads += 1) };
}

it('reloads after the start for signals that came before, and at each later one', () => {
  const { hangup, reloads, reload } = hangupOf();
  process.emit('SIGHUP');
  process.emit('SIGHUP');
  expect(reloads()).toBe(0);
  hangup.begin(reload);
  expect(reloads()).toBe(1);
  process.emit('SIGHUP');
  expect(reloads()).toBe(2);
});

it('does not reload at the start without a signal', () => {
  const { hangup, reloads, reload } = hangupOf();
  hangup.begin(reload);
  expect(reloads()).toBe(0);
});

it('still handles signals while the service stops, without a reload, until its end', () => {
  const before = process.listenerCount('SIGHUP');
  const { hangup, reloads, reload } = hangupOf();
  hangup.begin(reload);
  hangup.ignore();
  expect(process.emit('SIGHUP')).toBe(true);
  expect(reloads()).toBe(0);
  hangup.end();
  expect(process.listenerCount('SIGHUP')).toBe(before);
});
