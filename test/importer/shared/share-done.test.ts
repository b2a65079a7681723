import { describe, expect, it } from 'vitest';
import { shareDone, shareText } from '../../../src/importer/shared/share-done.js';
import { plan, snapshotOf } from '../../helpers/run-snapshots.js';

describe('how much of a run is done', () => {
  it('is the share of its ranges', () => {
    expect(shareDone(snapshotOf())).toBe(0.4);
  });

  it('is more where the ranges in hand have got far', () => {
    const one = { total: 1, done: 0, failed: 0 };
    expect(shareDone(snapshotOf({ ranges: one }))).toBe(0.4);
    const stats = {
      delivered: 40,
      bytes: 4_000,
      skipped: 20,
      rejected: 5,
      failed: 10,
      retrying: 5,
    };
    expect(shareDone(snapshotOf({ ranges: one, stats }))).toBe(0.8);
  });

  it('is that of the ranges for gzip files, whose size says nothing about their events', () => {
    const gzip = { ...plan, files: [{ ...plan.files[0]!, isWhole: true }] };
    const ranges = { total: 2, done: 1, failed: 0 };
    expect(shareDone(snapshotOf({ record: { plan: gzip }, ranges }))).toBe(0.5);
  });

  it('is all only when every range is done and no event waits', () => {
    const ranges = { total: 10, done: 10, failed: 0 };
    expect(shareDone(snapshotOf({ ranges }))).toBe(1);
    expect(shareDone(snapshotOf({ ranges, stats: { retrying: 1 } }))).toBe(0.99);
    const stats = { delivered: 1_000, bytes: 1_000_000 };
    expect(shareText(shareDone(snapshotOf({ stats })))).toBe('99%');
  });

  it('lacks the ranges that failed', () => {
    const ranges = { total: 10, done: 8, failed: 2 };
    expect(shareDone(snapshotOf({ ranges, stats: { delivered: 1, bytes: 9_999 } }))).toBe(0.8);
  });

  it('is nothing of a run without ranges until it has finished', () => {
    const ranges = { total: 0, done: 0, failed: 0 };
    expect(shareDone(snapshotOf({ ranges }))).toBe(0);
    expect(shareDone(snapshotOf({ ranges, record: { status: 'finished' } }))).toBe(1);
  });

  it('does without a plan of another format', () => {
    const other = { format: 99 } as unknown as typeof plan;
    expect(shareDone(snapshotOf({ record: { plan: other } }))).toBe(0.4);
  });
});
