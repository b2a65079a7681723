import type { Explanation } from './explain.js';
import type { Judgement } from '../judge.js';

/** One text of both: an explanation that fits says it all, else the fault of the form counts. */
export function hintOf(judgement: Judgement, explanation: Explanation): string {
  if (explanation.fits || judgement.reason === 'mismatch') return explanation.message;
  if (judgement.reason === 'empty') return judgement.message;
  return `${judgement.message}; ${explanation.message}`;
}
