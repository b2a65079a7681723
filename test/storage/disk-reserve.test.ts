import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StateError } from '../../src/errors.js';
import { DiskReserve } from '../../src/storage/disk-reserve.js';
import { folderWith } from '../helpers/folder.js';

it('takes 1 MiB of the disk until it is released, also one left by an earlier process', () => {
  const path = join(folderWith(), 'reserve');
  const reserve = new DiskReserve(path);
  reserve.hold();
  expect(statSync(path).size).toBe(1_048_576);
  new DiskReserve(path).hold();
  expect(statSync(path).size).toBe(1_048_576);
  reserve.release();
  expect(existsSync(path)).toBe(false);
});

it('completes one that an earlier process could write only in part', () => {
  const path = join(folderWith(), 'reserve');
  writeFileSync(path, 'x');
  new DiskReserve(path).hold();
  expect(statSync(path).size).toBe(1_048_576);
});

it('says what to do when there is no space, and leaves nothing of it behind', () => {
  const path = join(folderWith(), 'missing', 'reserve');
  const hold = (): void => new DiskReserve(path).hold();
  expect(hold).toThrow(StateError);
  expect(hold).toThrow(/no space can be reserved to record what is sent \(ENOENT\); free 1 MiB/);
});
