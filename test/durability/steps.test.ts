import { describe, expect, it } from 'vitest';
import { stepsOf } from './steps.js';
import { parseTrace } from './trace.js';

/** Steps of calls, one per line, on files in `/x/state`; the program runs in `/x`. */
const read = (...lines: string[]) =>
  stepsOf(parseTrace(lines.map((line) => `71 ${line}`).join('\n')), '/x/state', '/x');

describe('the steps of a trace', () => {
  it('have the offset of each write', () => {
    const steps = read(
      'openat(AT_FDCWD</x>, "state/a", O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC, 0600) = 4</x/state/a>',
      'write(4</x/state/a>, "one", 3) = 3',
      'write(4</x/state/a>, "three", 5) = 2',
      'lseek(4</x/state/a>, 1, SEEK_SET) = 1',
      'write(4</x/state/a>, "!", 1) = 1',
      'openat(AT_FDCWD</x>, "/x/state/b", O_WRONLY|O_CREAT|O_APPEND, 0600) = 5</x/state/b>',
      'write(5</x/state/b>, "end", 3) = 3',
      'pwrite64(4</x/state/a>, "at", 2, 4096) = 2',
      'ftruncate(4</x/state/a>, 8) = 0',
    );
    const a = '/x/state/a';
    const bytes = (text: string) => Buffer.from(text);
    expect(steps).toEqual([
      { at: 0, kind: 'create', path: a },
      { at: 0, kind: 'truncate', path: a, size: 0 },
      { at: 1, kind: 'write', path: a, offset: 0, bytes: bytes('one') },
      { at: 2, kind: 'write', path: a, offset: 3, bytes: bytes('th') },
      { at: 4, kind: 'write', path: a, offset: 1, bytes: bytes('!') },
      { at: 5, kind: 'create', path: '/x/state/b' },
      { at: 6, kind: 'write', path: '/x/state/b', offset: 'end', bytes: bytes('end') },
      { at: 7, kind: 'write', path: a, offset: 4096, bytes: bytes('at') },
      { at: 8, kind: 'truncate', path: a, size: 8 },
    ]);
  });

  it('have the start and the end of a sync, and the start of a request', () => {
    const steps = read(
      'fsync(4</x/state/a> <unfinished ...>',
      '<... fsync resumed>) = 0',
      'write(9<socket:[3]>, "POST /", 6 <unfinished ...>',
      '<... write resumed>) = 6',
      'read(9<socket:[3]>, "HTTP", 4096) = 4',
    );
    expect(steps.map(({ at, kind }) => [at, kind])).toEqual([
      [0, 'sync'],
      [1, 'synced'],
      [2, 'sent'],
      [4, 'received'],
    ]);
  });

  it('have names, also relative ones', () => {
    const steps = read(
      'rename("state/a", "state/b") = 0',
      'linkat(AT_FDCWD, "/x/state/b", AT_FDCWD, "/x/state/c", 0) = 0',
      'unlink("state/b") = 0',
      'unlink("state/none") = -1 ENOENT (No such file or directory)',
    );
    expect(steps).toEqual([
      { at: 0, kind: 'rename', path: '/x/state/a', to: '/x/state/b' },
      { at: 1, kind: 'link', path: '/x/state/b', to: '/x/state/c' },
      { at: 2, kind: 'remove', path: '/x/state/b' },
    ]);
  });

  it('exclude files that are not in the state', () => {
    expect(
      read(
        'openat(AT_FDCWD</x>, "state-of-others", O_WRONLY|O_CREAT, 0600) = 4</x/state-of-others>',
        'write(4</x/state-of-others>, "a", 1) = 1',
        'fsync(4</x/state-of-others>) = 0',
        'mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 4</x/other>, 0) = 0x7f00',
      ),
    ).toEqual([]);
  });

  it.each([
    'mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 4<\\x2f\\x78\\x2f\\x73\\x74\\x61\\x74\\x65\\x2f\\x61>, 0) = 0x7f00',
    'fallocate(4<\\x2f\\x78\\x2f\\x73\\x74\\x61\\x74\\x65\\x2f\\x61>, 0, 0, 4096) = 0',
    'openat(AT_FDCWD</x>, "state/a", O_RDWR|O_SYNC) = 4</x/state/a>',
    'rename("state/a", "elsewhere") = 0',
  ])('refuse calls that are not modeled: %s', (line) => {
    expect(() => read(line)).toThrow(/not modeled|O_SYNC|was moved/);
  });
});
