import { describe, expect, it } from 'vitest';
import { DownUrls } from '../../../src/importer/workers/down-urls.js';

/** What is told of one URL, with `+` for down and `-` for up, as `-0`: thread 0 finds it up. */
function told(finds: string, url = 'http://a/', urls = new DownUrls()): string {
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
    ['is no more down for being found so twice', '+0 +0 -0', '+0 -0'],
    ['is not told up where it never was down', '-0 -1', ''],
  ])('%s', (_name, finds, expected) => {
    expect(told(finds)).toBe(expected);
  });

  it('says nothing of another', () => {
    const urls = new DownUrls();
    expect(told('+0', 'http://a/', urls)).toBe('+0');
    expect(told('+1', 'http://b/', urls)).toBe('+1');
    expect(told('-0', 'http://a/', urls)).toBe('-0');
  });
});
