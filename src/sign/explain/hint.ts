import type { Explanation } from './explain.js';
import type { Judgement } from '../judge.js';

/** Joins both into one text. An explanation that fits is enough; otherwise the fault of the form comes first. */
export function hintOf(judgement: Judgement, explanation: Explanation): string {
  if (explanation.fits || judgement.reason === 'mismatch') return explanation.message;
  if (judgement.reason === 'empty') return judgement.message;
  return `${judgement.message}; ${explanation.message}`;
}
