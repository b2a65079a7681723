import fs, {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { StateError } from '../../src/errors.js';
import { FileWriter } from '../../src/storage/file-writer.js';
import { folderWith } from '../helpers/folder.js';
import { execFileSync } from '../helpers/run-sync.js';

const line = Buffer.from('{"line":1}\n');
const large = Buffer.concat([Buffer.alloc(100_000, 'x'), Buffer.from('\n')]);

function writerAt(path: string): FileWriter {
  return new FileWriter(path, 'the dead-letter file');
}

describe('a file that must not lose data', () => {
  it('is created at the first write, with its folder, only for its owner', () => {
    const path = join(folderWith(), 'a', 'b', 'dead.ndjson');
    const writer = writerAt(path);
    writer.append(line);
    expect(existsSync(path)).toBe(false);
    writer.flush();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path)).toEqual(line);
    writer.close();
  });

  it('is not created without a write', () => {
    const path = join(folderWith(), 'dead.ndjson');
    const writer = writerAt(path);
    writer.flush();
    writer.close();
    expect(existsSync(path)).toBe(false);
  });

  it('has all data after close, in order, whatever the sizes', () => {
    const path = join(folderWith(), 'dead.ndjson');
    const writer = writerAt(path);
    const parts = [line, large, line, line, large, Buffer.alloc(0), line];
    for (const part of parts) writer.append(part);
    expect(statSync(path).size).toBeGreaterThan(large.length);
    writer.close();
    expect(readFileSync(path).equals(Buffer.concat(parts))).toBe(true);
  });

  it.each([
    ['whole lines', 'old\n', 'old\n'],
    ['a part of a line, written to a full disk', 'old\n{"pie', 'old\n{"pie\n'],
    ['nothing', '', ''],
  ])('is appended to: %s', (_, before, kept) => {
    const path = join(folderWith({ 'dead.ndjson': before }), 'dead.ndjson');
    const writer = writerAt(path);
    writer.append(line);
    writer.close();
    expect(readFileSync(path, 'utf8')).toBe(`${kept}${line.toString()}`);
  });
});

describe('a file that is synchronized', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  it('is on the disk with all that was appended', () => {
    const path = join(folderWith(), 'dead.ndjson');
    const synced: string[] = [];
    vi.spyOn(fs, 'fsyncSync').mockImplementation((file) => {
      synced.push(readFileSync(`/proc/self/fd/${file}`, 'utf8'));
    });
    syncBuiltinESMExports();
    const writer = writerAt(path);
    writer.append(line);
    writer.sync();
    writer.append(line);
    writer.close();
    expect(synced).toEqual([line.toString(), line.toString().repeat(2)]);
  });
});

it('a pipe works like a file', () => {
  const path = join(folderWith(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = writerAt(path);
  writer.append(line);
  writer.close();
  expect(readFileSync(reader)).toEqual(line);
  closeSync(reader);
});

describe('a failure to write is an error that names the file', () => {
  it.each<[string, (folder: string) => string, string]>([
    ['a folder is a file', (folder) => join(folder, 'file', 'dead.ndjson'), 'E(NOTDIR|EXIST)'],
    ['the path is a folder', (folder) => folder, 'EISDIR'],
  ])('%s', (_, pathIn, code) => {
    const writer = writerAt(pathIn(folderWith({ file: '' })));
    writer.append(line);
    expectFailure(() => writer.flush(), writer.path, code);
  });

  it.skipIf(!existsSync('/dev/full'))('the disk is full', () => {
    const writer = writerAt('/dev/full');
    writer.append(line);
    expectFailure(() => writer.close(), '/dev/full', 'ENOSPC');
    expectFailure(() => writer.append(large), '/dev/full', 'ENOSPC');
  });

  it.each(['flush', 'close'] as const)('the folder was removed, detected at %s', (step) => {
    const folder = join(folderWith(), 'state');
    const writer = writerAt(join(folder, 'dead.ndjson'));
    writer.append(line);
    writer.flush();
    rmSync(folder, { recursive: true });
    if (step === 'flush') writer.append(line);
    expectFailure(() => writer[step](), writer.path, 'ENOENT');
  });

  it('but not if the folder was removed before the first write: it is created again', () => {
    const folder = join(folderWith(), 'state');
    mkdirSync(folder);
    writeFileSync(join(folder, 'other'), '');
    const writer = writerAt(join(folder, 'dead.ndjson'));
    writer.append(line);
    rmSync(folder, { recursive: true });
    writer.close();
    expect(readFileSync(writer.path)).toEqual(line);
  });
});

function expectFailure(write: () => void, path: string, code: string): void {
  const failure = failureOf(write);
  expect(failure).toBeInstanceOf(StateError);
  expect(failure).toMatchObject({
    exitCode: 6,
    code: 'state_not_written',
    message: expect.stringMatching(
      new RegExp(`^${path}: the dead-letter file cannot be written \\(${code}\\); .*run again$`),
    ),
  });
}

function failureOf(write: () => void): unknown {
  try {
    write();
  } catch (error) {
    return error;
  }
  return undefined;
}
