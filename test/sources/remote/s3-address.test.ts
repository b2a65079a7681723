import { describe, expect, it } from 'vitest';
import { matcherOf, parseS3Address } from '../../../src/sources/remote/s3-address.js';

describe('an address of S3', () => {
  it.each([
    ['s3://logs', { bucket: 'logs', kind: 'prefix', prefix: '' }],
    ['s3://logs/', { bucket: 'logs', kind: 'prefix', prefix: '' }],
    ['s3://logs/a/', { bucket: 'logs', kind: 'prefix', prefix: 'a/' }],
    ['s3://my.logs/a/b.gz', { bucket: 'my.logs', kind: 'key', key: 'a/b.gz' }],
    ['s3://logs/a%20b#c (1)+{x}', { bucket: 'logs', kind: 'key', key: 'a%20b#c (1)+{x}' }],
    ['s3://logs/a\\*b\\?\\[c]', { bucket: 'logs', kind: 'key', key: 'a*b?[c]' }],
    ['s3://logs/a\\b', { bucket: 'logs', kind: 'key', key: 'a\\b' }],
    [
      's3://logs/a/x-*.gz',
      { bucket: 'logs', kind: 'pattern', prefix: 'a/x-', pattern: 'a/x-*.gz' },
    ],
    ['s3://logs/a\\*/**', { bucket: 'logs', kind: 'pattern', prefix: 'a*/', pattern: 'a\\*/**' }],
  ])('%s', (address, expected) => {
    expect(parseS3Address(address)).toEqual(expected);
  });

  it.each(['s3://', 's3:///a', 's3:logs', 's3://a b/c', 'logs/a', 's3://user:secret@logs/a'])(
    'is not %s',
    (address) => {
      expect(() => parseS3Address(address)).toThrow(
        'not an address of S3; write s3://bucket/key, or s3://bucket/prefix/',
      );
    },
  );

  it.each<[string, string[], string[]]>([
    ['', ['a', 'a/b/c'], ['_a', '.a', 'a/.b', 'a/_b/c']],
    ['p/', ['p/a', 'p/a/b'], ['q', 'p/_a', 'p/a/.b']],
    ['_p/', ['_p/a'], ['_p/_a']],
    [
      'p/*.gz',
      ['p/a.gz', 'p/(a) b.gz'],
      ['p/a/b.gz', 'p/.gz', 'p/.a.gz', 'p/_a.gz', 'q/a.gz', 'p/a.gzx'],
    ],
    [
      'p/**/*.gz',
      ['p/a.gz', 'p/a/b.gz', 'p/a/b/c.gz'],
      ['p/_a/b.gz', 'p/a/.b/c.gz', 'p/a/_b.gz', 'p/a.csv'],
    ],
    ['p/**', ['p/a', 'p/a/b'], ['p/_a', 'p/a/.b']],
    ['p/_*.gz', ['p/_a.gz'], ['p/a.gz', 'p/.a.gz', 'p/_a/b.gz']],
    ['p/.*', ['p/.a'], ['p/a', 'p/_a']],
    ['p/{_a,b}*', ['p/_a1', 'p/b1'], ['p/_b', 'p/a']],
    ['p/?.gz', ['p/a.gz'], ['p/ab.gz', 'p/_.gz', 'p/..gz']],
    ['p/[a-c]x', ['p/ax', 'p/cx'], ['p/dx', 'p/ACx']],
    ['p/[!a]x', ['p/bx'], ['p/ax', 'p//x']],
    ['p/{a,b}/*', ['p/a/1', 'p/b/2'], ['p/c/1', 'p/a/b/1']],
    ['(1)+!(a)"$^@|*', ['(1)+!(a)"$^@|x'], ['1a', '(1)+!(a)"$^@x']],
    ['!a*', ['!ab'], ['ab', 'b']],
    ['A*', ['Ab'], ['ab']],
    ['day=2026-11-2?/*', ['day=2026-11-20/a'], ['day=2026-11-3/a']],
    ['é*', ['éa'], ['ea']],
  ])('s3://logs/%s means these keys, and no others', async (path, meant, others) => {
    const matches = await matcherOf(parseS3Address(`s3://logs/${path}`));
    expect(meant.filter((key) => !matches(key, 1))).toEqual([]);
    expect(others.filter((key) => matches(key, 1))).toEqual([]);
  });

  it('leaves out the empty objects that stand for folders', async () => {
    const matches = await matcherOf(parseS3Address('s3://logs/**'));
    expect([matches('a/', 0), matches('a', 0)]).toEqual([false, true]);
  });
});
