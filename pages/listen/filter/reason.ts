import type { RequestRow } from '../../../src/api/listen.js';

/** Whether a reason says more than the verdicts `invalid` and `missing`. */
export function isTelling(reason: string): boolean {
  return reason !== 'mismatch' && reason !== 'missing';
}

/** Why a signature is not valid, where that says more than its verdict; else null. */
export function tellingReason({ reason }: Pick<RequestRow, 'reason'>): string | null {
  return reason !== null && isTelling(reason) ? reason : null;
}
