import type { Check } from '../../../src/check/check.js';
import { batchChecks } from '../../../src/check/groups/batch.js';
import { dupChecks } from '../../../src/check/groups/dup.js';
import { orderChecks } from '../../../src/check/groups/order.js';
import { formChecks } from '../../../src/check/groups/sign-forms.js';
import { leakCheck } from '../../../src/check/groups/sign-leak.js';
import { rawBytesChecks } from '../../../src/check/groups/sign-raw-bytes.js';
import { rotationCheck } from '../../../src/check/groups/sign-rotation.js';
import { signChecks } from '../../../src/check/groups/sign.js';
import { timeChecks } from '../../../src/check/groups/time.js';
import { tolerateChecks } from '../../../src/check/groups/tolerate.js';

export const signatureChecks: readonly Check[] = [
  ...signChecks,
  ...rawBytesChecks,
  ...formChecks,
  leakCheck,
  rotationCheck,
  ...timeChecks,
  ...batchChecks,
];

/** All checks of what an event is and how it is signed. */
export const eventChecks: readonly Check[] = [
  ...signatureChecks,
  ...dupChecks,
  ...orderChecks,
  ...tolerateChecks,
];
