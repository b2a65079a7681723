import type { InstanceState, Overview } from '../../../src/api/serve.js';
import { countOf } from '../../shared/text/format.js';
import { spanText } from '../outcomes/span.js';

/** What is wrong with the store that instances share, or with how they use it. */
export interface ClusterWarning {
  readonly title: string;
  readonly text: string;
}

/** A transaction that is open for so long keeps the server from cleaning up what has ended. */
const longTransactionSeconds = 300;

export function clusterWarningsOf({
  instances,
  oldestTransactionSeconds: seconds,
}: Pick<Overview, 'instances' | 'oldestTransactionSeconds'>): ClusterWarning[] {
  const warnings: ClusterWarning[] = [];
  const configurations = groupsBy(instances, ({ configHash }) => configHash);
  if (configurations.length > 1) {
    warnings.push({
      title: 'The instances have different configurations',
      text: `${configurations.map((group) => namesOf(group)).join(' | ')}; give all of them the same file.`,
    });
  }
  if (seconds !== null && seconds >= longTransactionSeconds) {
    warnings.push({
      title: `A transaction has been open in the store for ${spanText(seconds * 1000)}`,
      text: 'PostgreSQL cannot clean up meanwhile, and the store becomes slower; find it in pg_stat_activity.',
    });
  }
  return warnings;
}

/** `2 instances: a, b`; versions only where they differ, as in the middle of an update. */
export function instancesText(instances: readonly InstanceState[]): string {
  const differ = new Set(instances.map(({ version }) => version)).size > 1;
  const names = instances.map(({ id, version }) => (differ ? `${id} (${version})` : id));
  return `${countOf(instances.length, 'instance')}: ${names.join(', ')}`;
}

function namesOf(instances: readonly InstanceState[]): string {
  return instances.map(({ id }) => id).join(', ');
}

function groupsBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()];
}
