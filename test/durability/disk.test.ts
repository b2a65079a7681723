import { describe, expect, it } from 'vitest';
import { seeded } from '../../src/fixtures/random.js';
import { Disk, type DiskOptions, type Image } from './disk.js';
import type { FileStep } from './steps.js';

type Omitted<T> = T extends unknown ? Omit<T, 'at'> : never;

function diskAfter(
  steps: readonly Omitted<FileStep>[],
  initial: Record<string, string> = {},
  options?: DiskOptions,
): Disk {
  const before = Object.entries(initial).map(([path, text]) => [path, Buffer.from(text)] as const);
  const disk = new Disk(new Map(before), options);
  steps.forEach((step, at) => disk.apply({ ...step, at }));
  return disk;
}

const texts = (image: Image) =>
  Object.fromEntries([...image].map(([path, bytes]) => [path, bytes.toString()]));

const write = (path: string, text: string, offset: number | 'end' = 'end') =>
  ({ kind: 'write', path, offset, bytes: Buffer.from(text) }) as const;
const create = (path: string) => ({ kind: 'create', path }) as const;
const sync = (path: string, id = 1) =>
  [
    { kind: 'sync', path, id },
    { kind: 'synced', path, id },
  ] as const;

/** The different images after many random cuts. */
function outcomes(disk: Disk): string[] {
  const random = seeded(1);
  const images = Array.from({ length: 400 }, () =>
    JSON.stringify(texts(disk.cut({ random: () => random.next() }))),
  );
  return [...new Set(images)].sort();
}

describe('a disk whose power is cut', () => {
  it('keeps what was synced, and no more', () => {
    const disk = diskAfter([create('/a'), write('/a', 'one'), ...sync('/a'), write('/a', 'two')]);
    expect(texts(disk.cut('synced only'))).toEqual({ '/a': 'one' });
  });

  it('keeps what was written before a sync began, once it has returned', () => {
    const begun = [create('/a'), write('/a', 'one'), sync('/a')[0], write('/a', 'two')];
    expect(texts(diskAfter(begun).cut('synced only'))).toEqual({});
    const ended = [...begun, sync('/a')[1]];
    expect(texts(diskAfter(ended).cut('synced only'))).toEqual({ '/a': 'one' });
  });

  it('models two concurrent syncs', () => {
    const [first, second] = [sync('/a', 1), sync('/a', 2)];
    const steps = [create('/a'), write('/a', '1'), first[0], write('/a', '2'), second[0]];
    const later = diskAfter([...steps, second[1], first[1], write('/a', '3')]);
    expect(texts(later.cut('synced only'))).toEqual({ '/a': '12' });
  });

  it('has some sectors of what was not synced, in any order', () => {
    const two = 'x'.repeat(512) + 'y'.repeat(100);
    const disk = diskAfter([...sync('/a'), write('/a', two, 0)], { '/a': 'old' });
    const found = outcomes(disk);
    const zeros = '\0'.repeat(509);
    expect(found).toEqual(
      [
        { '/a': 'old' },
        { '/a': `old${zeros}${'y'.repeat(100)}` },
        { '/a': 'x'.repeat(512) },
        { '/a': two },
      ]
        .map((image) => JSON.stringify(image))
        .sort(),
    );
  });

  it('may or may not have truncated a file', () => {
    const disk = diskAfter([{ kind: 'truncate', path: '/a', size: 1 }], { '/a': 'old' });
    expect(outcomes(disk)).toEqual(['{"/a":"o"}', '{"/a":"old"}']);
  });

  it('has a file under its name when the file was synced', () => {
    const disk = diskAfter([create('/d/a'), create('/d/b'), ...sync('/d/b')]);
    expect(texts(disk.cut('synced only'))).toEqual({ '/d/b': '' });
    expect(outcomes(disk)).toEqual(['{"/d/a":"","/d/b":""}', '{"/d/b":""}']);
  });

  it('may have a removal and a new name, which a sync of the folder keeps', () => {
    const remove = { kind: 'remove', path: '/d/a' } as const;
    const rename = { kind: 'rename', path: '/d/b', to: '/d/c' } as const;
    const initial = { '/d/a': '1', '/d/b': '2' };
    const all = ['{"/d/a":"1","/d/b":"2"}', '{"/d/b":"2"}', '{"/d/c":"2"}'];
    expect(outcomes(diskAfter([remove, rename], initial))).toEqual(all);
    expect(outcomes(diskAfter([remove, ...sync('/d'), rename], initial))).toEqual(all.slice(1));
    const synced = diskAfter([remove, rename, ...sync('/d')], initial);
    expect(texts(synced.cut('synced only'))).toEqual({ '/d/c': '2' });
  });

  it('has one content for two names', () => {
    const link = { kind: 'link', path: '/d/a', to: '/d/b' } as const;
    const disk = diskAfter([link, write('/d/b', '2'), ...sync('/d/a')], { '/d/a': '1' });
    expect(texts(disk.cut('synced only'))).toEqual({ '/d/a': '12', '/d/b': '12' });
  });

  it('starts from the initial files, and keeps nothing when it ignores syncs', () => {
    const steps = [
      write('/a', 'new', 1),
      create('/b'),
      write('/b', 'b'),
      ...sync('/a'),
      ...sync('/b'),
    ];
    const disk = diskAfter(steps, { '/a': 'old' }, { ignoresSync: true });
    expect(texts(disk.cut('synced only'))).toEqual({ '/a': 'old' });
    expect(texts(diskAfter(steps, { '/a': 'old' }).cut('synced only'))).toEqual({
      '/a': 'onew',
      '/b': 'b',
    });
  });
});
