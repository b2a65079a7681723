import type { Check } from '../check.js';
import { acceptChecks } from './accept.js';
import { batchChecks } from './batch.js';
import { dupChecks } from './dup.js';
import { orderChecks } from './order.js';
import { formChecks } from './sign-forms.js';
import { leakCheck } from './sign-leak.js';
import { rawBytesChecks } from './sign-raw-bytes.js';
import { rotationCheck } from './sign-rotation.js';
import { signChecks } from './sign.js';
import { timeChecks } from './time.js';
import { tolerateChecks } from './tolerate.js';

/** Every check, in the order of reports. */
export const checks: readonly Check[] = [
  ...acceptChecks,
  ...signChecks,
  ...rawBytesChecks,
  ...formChecks,
  leakCheck,
  rotationCheck,
  ...timeChecks,
  ...batchChecks,
  ...dupChecks,
  ...orderChecks,
  ...tolerateChecks,
];
