import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findInputs } from '../../src/sources/find-inputs.js';
import { folderWith } from '../helpers/folder.js';

/** Who may read everything. */
const isSuperuser = process.getuid?.() === 0;

describe('the inputs of a run', () => {
  it('are checked before the first byte is read, with their sizes', async () => {
    const folder = folderWith({ a: 'abc', b: '' });
    const paths = [join(folder, 'a'), '-', join(folder, 'b')];
    expect(await findInputs(paths)).toEqual([
      { name: paths[0], size: 3, isFile: true },
      { name: '-', size: undefined, isFile: false },
      { name: paths[2], size: 0, isFile: true },
    ]);
  });

  it.each([
    ['is missing', 'none', /^\S+none: no such file; check the path$/],
    ['is a pattern that nothing fits', 'x*.json', /x\*\.json: no files found; check the path$/],
    ['goes through a file', 'a/b', /^\S+b: cannot be read \(ENOTDIR\)$/],
  ])('cannot be a path that %s', async (_, name, message) => {
    const folder = folderWith({ a: '' });
    const finding = findInputs([join(folder, 'a'), `${folder}/${name}`]);
    await expect(finding).rejects.toThrow(message);
    await expect(finding).rejects.toMatchObject({ exitCode: 2 });
  });

  it.each([
    ['.', ['./b/2.json', './b/é.ndjson', './c/1', './z.gz']],
    ['b', ['b/2.json', 'b/é.ndjson']],
    ['b/', ['b/2.json', 'b/é.ndjson']],
    ['**/*.{json,ndjson}', ['b/2.json', 'b/é.ndjson']],
    ['?/[0-9]*', ['b/2.json', 'c/1']],
    ['_x/*', ['_x/kept']],
    ['b/../z.*', ['b/../z.gz']],
    ['?/*', ['b/2.json', 'b/é.ndjson', 'c/1']],
    ['odd[1].json', ['odd[1].json']],
  ])('are the files that %s means, in bytewise order', async (path, expected) => {
    const names = [
      'b/é.ndjson',
      'c/1',
      'b/2.json',
      'z.gz',
      '.git/a',
      '_x/kept',
      'b/_SUCCESS',
      'b/.crc',
    ];
    const folder = folderWith();
    for (const name of names) {
      mkdirSync(join(folder, dirname(name)), { recursive: true });
      writeFileSync(join(folder, name), '');
    }
    if (path.startsWith('odd')) writeFileSync(join(folder, path), '');
    const inputs = await findInputs([`${folder}/${path}`]);
    expect(inputs.map(({ name }) => name.slice(folder.length + 1))).toEqual(expected);
  });

  it('of a directory without files are an error, and of a URL where none are read', async () => {
    await expect(findInputs([folderWith()])).rejects.toThrow(/: no files found; check the path$/);
    const url = findInputs(['https://example.com/a?token=1']);
    await expect(url).rejects.toThrow(/^https:\/\/example\.com\/a: is a URL; pass a file$/);
  });

  it.skipIf(isSuperuser)('cannot be a file that may not be read', async () => {
    const folder = folderWith({ secret: 'abc' });
    chmodSync(join(folder, 'secret'), 0);
    const finding = findInputs([join(folder, 'secret')]);
    await expect(finding).rejects.toThrow(/^\S+secret: permission denied$/);
  });

  it('are reported together: the first that cannot be read in full, the others by name', async () => {
    const finding = findInputs(['none', '-', 'b', 'c', 'd', 'e'], {
      placeOf: (index) => (index === 2 ? 'list:2' : undefined),
    });
    await expect(finding).rejects.toThrow(
      /^none: no such file; check the path; cannot be read either: b, c, d and 1 more$/,
    );
    await expect(findInputs(['b'], { placeOf: () => 'list:2' })).rejects.toThrow(
      /^list:2: b: no such file/,
    );
  });

  it('have standard input at most once', async () => {
    await expect(findInputs(['-', '-'])).rejects.toThrow(/can be read only once/);
  });
});
