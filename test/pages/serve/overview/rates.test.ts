import { describe, expect, it } from 'vitest';
import { rateText, Rates } from '../../../../pages/serve/overview/rates.js';
import { at } from '../outcomes/samples.js';
import { overview, source } from './overview.js';

const received = (count: number, startedAt = at(0)) =>
  overview({ sources: [source({ received: count })], startedAt });

describe('a rate', () => {
  it('is that of the last ten seconds', () => {
    const rates = new Rates();
    rates.add(received(1000), 0);
    for (let second = 1; second <= 30; second++)
      rates.add(received(1000 + 50 * second), second * 1000);
    expect(rates.of('source', 'web', 30_000)).toBe(50);
  });

  it('falls to zero when nothing comes any more', () => {
    const rates = new Rates();
    rates.add(received(0), 0);
    rates.add(received(100), 1000);
    expect(rates.of('source', 'web', 5000)).toBe(20);
    expect(rates.of('source', 'web', 12_000)).toBe(0);
  });

  it('counts what comes after a silence from then on', () => {
    const rates = new Rates();
    rates.add(received(7), 0);
    rates.add(received(107), 60_000);
    expect(rates.of('source', 'web', 60_000)).toBe(10);
  });

  it('begins again with a service that was started again', () => {
    const rates = new Rates();
    rates.add(received(5000), 0);
    rates.add(received(0, at(1)), 1000);
    expect(rates.of('source', 'web', 2000)).toBe(0);
  });

  it.each([
    [0, '0'],
    [0.04, '0.1'],
    [3.25, '3.3'],
    [12.4, '12'],
    [5000, '5,000'],
  ])('of %d is written %s', (rate, text) => {
    expect(rateText(rate)).toBe(text);
  });
});
