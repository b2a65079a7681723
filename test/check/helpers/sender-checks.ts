import { groupOf, type Check } from '../../../src/check/check.js';
import { allChecks } from '../../../src/check/groups/index.js';
import { analytics } from '../../../src/check/senders/analytics.js';

export const signatureChecks = ofGroups('sign', 'time', 'batch');

/** All checks of what an event is and how it is signed. */
export const eventChecks = ofGroups('sign', 'time', 'batch', 'dup', 'order', 'tolerate');

function ofGroups(...groups: string[]): readonly Check[] {
  return allChecks(analytics).filter((check) => groups.includes(groupOf(check)));
}
