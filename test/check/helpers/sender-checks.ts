import { groupOf, type Check } from '../../../src/check/check.js';
import { checks } from '../../../src/check/groups/index.js';

export const signatureChecks = ofGroups('sign', 'time', 'batch');

/** All checks of what an event is and how it is signed. */
export const eventChecks = ofGroups('sign', 'time', 'batch', 'dup', 'order', 'tolerate');

function ofGroups(...groups: string[]): readonly Check[] {
  return checks.filter((check) => groups.includes(groupOf(check)));
}
