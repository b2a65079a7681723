import { describe, expect, it } from 'vitest';
import type { InstanceState } from '../../../../src/api/serve.js';
import { clusterWarningsOf, instancesText } from '../../../../pages/serve/overview/instances.js';

function instance(id: string, change: Partial<InstanceState> = {}): InstanceState {
  const at = '2026-01-01T00:00:00.000Z';
  return { id, startedAt: at, lastSeen: at, version: '1.0.0', configHash: 'aa', ...change };
}

describe('the instances that share a store', () => {
  it('are named, with their versions where these differ', () => {
    expect(instancesText([instance('a'), instance('b')])).toBe('2 instances: a, b');
    expect(instancesText([instance('a'), instance('b', { version: '1.1.0' })])).toBe(
      '2 instances: a (1.0.0), b (1.1.0)',
    );
  });

  it('cause a warning when their configurations differ', () => {
    const instances = [instance('a'), instance('b', { configHash: 'bb' }), instance('c')];
    const [warning] = clusterWarningsOf({ instances, oldestTransactionSeconds: null });
    expect(warning).toEqual({
      title: 'The instances have different configurations',
      text: 'a, c | b; give all of them the same file.',
    });
    expect(
      clusterWarningsOf({ instances: [instance('a')], oldestTransactionSeconds: 299 }),
    ).toEqual([]);
  });

  it('are slowed by a transaction that somebody keeps open for five minutes', () => {
    const [warning] = clusterWarningsOf({ instances: [], oldestTransactionSeconds: 300 });
    expect(warning!.title).toContain('open in the store for 5 min');
  });
});
