import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodes, UsageError } from '../../src/errors.js';
import { checkSame, fingerprintOf } from '../../src/ledger/fingerprint.js';
import { folderWith } from '../helpers/folder.js';

function errorAfter(content: string, change: (path: string) => void): UsageError | undefined {
  const path = join(folderWith({ 'a.ndjson': content }), 'a.ndjson');
  const input = { name: path, size: undefined, isFile: true };
  const before = fingerprintOf(input);
  change(path);
  try {
    checkSame(before, fingerprintOf(input), input);
  } catch (error) {
    return error as UsageError;
  }
  return undefined;
}

const large = 'x'.repeat(200_000);

describe('a file of an import', () => {
  it.each<[string, string, (path: string) => void]>([
    ['is unchanged', large, () => undefined],
    ['was rewritten with the same content', 'abc', (path) => writeFileSync(path, 'abc')],
    ['has grown at its end', 'abc', (path) => appendFileSync(path, 'd')],
    ['has grown from nothing', '', (path) => appendFileSync(path, 'd')],
    ['has grown far beyond what is hashed', 'abc', (path) => appendFileSync(path, large)],
    ['is large and has grown', large, (path) => appendFileSync(path, 'd')],
  ])('that %s is the same', (_what, content, change) => {
    expect(errorAfter(content, change)).toBeUndefined();
  });

  it.each<[string, string, (path: string) => void, RegExp]>([
    ['shrank', 'abc', (path) => truncateSync(path, 2), /has shrunk from 3 to 2 bytes/],
    ['was emptied', 'abc', (path) => truncateSync(path, 0), /has shrunk from 3 to 0 bytes/],
    ['was replaced', 'abc', (path) => writeFileSync(path, 'xyz'), /its beginning has changed/],
    ['got another beginning', 'abc', (path) => writeFileSync(path, 'xabc'), /its beginning has/],
    [
      'changed at the end of what is hashed',
      large,
      (path) => writeFileSync(path, `${'x'.repeat(65_535)}y${large}`),
      /its beginning has changed/,
    ],
  ])('that %s is not: exit 2, with advice', (_what, content, change, message) => {
    const error = errorAfter(content, change);
    expect(error).toBeInstanceOf(UsageError);
    expect([error!.code, error!.exitCode]).toEqual(['file_changed', exitCodes.usage]);
    expect(error!.message).toMatch(message);
    expect(error!.message).toMatch(/a\.ndjson: .*; restore it, or start over with --fresh$/);
  });
});
