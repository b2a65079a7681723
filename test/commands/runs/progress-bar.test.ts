import { describe, expect, it } from 'vitest';
import { barStyle, progressBar } from '../../../src/commands/runs/progress-bar.js';

const ascii = { full: '#', empty: '.' };
const text = (share: number, width: number): string => {
  const { done, left } = progressBar(share, width, ascii);
  return done + left;
};

describe('a bar of progress', () => {
  it('is full only when all is done, and empty only when nothing is', () => {
    expect(text(0, 8)).toBe('........');
    expect(text(0.001, 8)).toBe('#.......');
    expect(text(0.5, 8)).toBe('####....');
    expect(text(0.999, 8)).toBe('#######.');
    expect(text(1, 8)).toBe('########');
  });

  it('has blocks unless the terminal or the locale has only ASCII', () => {
    expect(barStyle({}).full).toBe('█');
    expect(barStyle({ LANG: 'de_DE.utf8', TERM: 'xterm' }).full).toBe('█');
    expect(barStyle({ LANG: 'C.UTF-8' }).full).toBe('█');
    expect(barStyle({ LANG: 'C' })).toEqual(ascii);
    expect(barStyle({ LANG: 'en_US.UTF-8', LC_ALL: 'POSIX' })).toEqual(ascii);
    expect(barStyle({ LANG: 'en_US.UTF-8', TERM: 'dumb' })).toEqual(ascii);
  });
});
