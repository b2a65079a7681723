import { groupOf, type Check } from '../../../src/check/check.js';
import { checksFor } from '../../../src/check/groups/index.js';
import { analytics } from '../../../src/check/senders/analytics.js';

export const signatureChecks = ofGroups('sign', 'time', 'batch');

/** All checks of what an event is and how it is signed, where each goes alone. */
export const eventChecks = ofGroups('sign', 'time', 'batch', 'dup', 'order', 'tolerate');

function ofGroups(...groups: string[]): readonly Check[] {
  return checksFor({ sender: analytics, handshake: undefined }).filter((check) =>
    groups.includes(groupOf(check)),
  );
}
