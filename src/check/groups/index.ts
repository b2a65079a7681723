import type { Check } from '../check.js';
import { acceptChecks } from './accept.js';

/** Every check, in the order of reports. */
export const checks: readonly Check[] = [...acceptChecks];
