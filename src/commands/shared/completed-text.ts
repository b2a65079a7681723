import type { OutcomeCounts } from '../../ledger/store.js';
import { count } from '../../output/numbers.js';

/** `already completed (1,000 delivered, 2 rejected, 0 failed)`; rejected ones only if there are any. */
export function completedText({
  delivered,
  rejected,
  failed,
}: Pick<OutcomeCounts, 'delivered' | 'rejected' | 'failed'>): string {
  const parts = [
    `${count(delivered)} delivered`,
    ...(rejected > 0 ? [`${count(rejected)} rejected`] : []),
    `${count(failed)} failed`,
  ];
  return `already completed (${parts.join(', ')})`;
}
