import { describe, expect, it } from 'vitest';
import { StopRule } from '../../src/importer/stop-rule.js';

type Limit = ConstructorParameters<typeof StopRule>[0];

/** Counts one event after the other; returns how many had ended when the run was to stop. */
function stopsAfter(limit: Limit, verdicts: Iterable<string>): [number, string] | undefined {
  const counts: Record<string, number> = {};
  const rule = new StopRule(limit);
  let ended = 0;
  for (const verdict of verdicts) {
    counts[verdict] = (counts[verdict] ?? 0) + 1;
    ended++;
    if (rule.check({ count: (name) => counts[name] ?? 0 })) return [ended, rule.reason!];
  }
  return undefined;
}

function* repeated(count: number, ...verdicts: string[]): Generator<string> {
  for (let i = 0; i < count; i++) yield verdicts[i % verdicts.length]!;
}

describe('--stop-after', () => {
  it('stops by default when the first 1,000 events came to nothing', () => {
    expect(stopsAfter(undefined, repeated(5_000, 'failed', 'rejected'))).toEqual([
      1_000,
      'none of the first 1,000 was delivered',
    ]);
    expect(stopsAfter(undefined, repeated(999, 'failed'))).toBeUndefined();
  });

  it('does not stop by default once anything was delivered', () => {
    const verdicts = ['delivered', ...repeated(5_000, 'failed')];
    expect(stopsAfter(undefined, verdicts)).toBeUndefined();
  });

  it('stops after more than a number of failures', () => {
    const verdicts = () => repeated(100, 'delivered', 'failed', 'skipped', 'rejected');
    expect(stopsAfter({ events: 10 }, verdicts())).toEqual([
      22,
      '11 were rejected or failed (--stop-after 10)',
    ]);
    expect(stopsAfter({ events: 0 }, ['failed'])).toEqual([
      1,
      '1 was rejected or failed (--stop-after 0)',
    ]);
    expect(stopsAfter({ events: 50 }, verdicts())).toBeUndefined();
  });

  it('stops at more than a share, of at least 100 events that were not skipped', () => {
    expect(stopsAfter({ share: 0.1 }, repeated(500, 'failed', 'skipped'))).toEqual([
      199,
      '100 of 100 were rejected or failed (--stop-after 10%)',
    ]);
    expect(stopsAfter({ share: 0.5 }, repeated(500, 'failed', 'delivered'))).toEqual([
      101,
      '51 of 101 were rejected or failed (--stop-after 50%)',
    ]);
    expect(stopsAfter({ share: 0.51 }, repeated(500, 'failed', 'delivered'))).toBeUndefined();
    expect(stopsAfter({ share: 1 }, repeated(5_000, 'failed'))).toBeUndefined();
  });
});
