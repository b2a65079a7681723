import { describe, expect, it } from 'vitest';
import { countOf, msText, percentText } from '../../src/output/numbers.js';

describe('a count with its noun', () => {
  it.each([
    [0, '0 events'],
    [1, '1 event'],
    [2_000, '2,000 events'],
  ])('%d is %s', (value, text) => expect(countOf(value, 'event')).toBe(text));

  it('takes a plural that is not made by an s', () => {
    expect(countOf(2, 'retry', 'retries')).toBe('2 retries');
  });
});

describe('a share in words', () => {
  it.each([
    [1, '100%'],
    [0.99999, '>99.9%'],
    [0.99, '99.0%'],
    [0.5, '50.0%'],
    [0.00001, '<0.1%'],
    [0, '0%'],
  ])('%d is %s', (share, text) => expect(percentText(share)).toBe(text));
});

describe('a duration in words', () => {
  it.each([
    [null, '–'],
    [0.0478, '0.05 ms'],
    [7.912, '7.91 ms'],
    [9.999, '10.0 ms'],
    [31, '31.0 ms'],
    [99.96, '100 ms'],
    [999.4, '999 ms'],
    [999.9, '1.00 s'],
    [12_345, '12.3 s'],
    [59_970, '1 min 0 s'],
    [61_000, '1 min 1 s'],
  ])('%d is %s', (ms, text) => expect(msText(ms)).toBe(text));
});
