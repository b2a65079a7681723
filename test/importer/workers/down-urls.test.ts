import { describe, expect, it } from 'vitest';
import { DownUrls } from '../../../src/importer/workers/worker-pool.js';

/** The findings that change the state of one URL: `+` for down, `-` for up; `-0`: thread 0 finds it up. */
function changesOf(finds: string, url = 'http://a/', urls = new DownUrls()): string {
  const changes = finds
    .split(' ')
    .filter((find) => urls.note(url, find.startsWith('+'), Number(find[1])));
  return changes.join(' ');
}

describe('a URL that several threads use', () => {
  it.each([
    ['is down when the first finds it so', '+0 +1', '+0'],
    ['is up when the last does', '+0 +1 -0 -1', '+0 -1'],
    ['goes down again after that', '+0 -0 +1 -1', '+0 -0 +1 -1'],
    ['is up again after one thread found it down twice', '+0 +0 -0', '+0 -0'],
    ['does not change when it never was down', '-0 -1', ''],
  ])('%s', (_name, finds, expected) => {
    expect(changesOf(finds)).toBe(expected);
  });

  it('does not affect another', () => {
    const urls = new DownUrls();
    expect(changesOf('+0', 'http://a/', urls)).toBe('+0');
    expect(changesOf('+1', 'http://b/', urls)).toBe('+1');
    expect(changesOf('-0', 'http://a/', urls)).toBe('-0');
  });
});
