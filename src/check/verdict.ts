import type { Judgement } from './judgement.js';
import type { Level, Verdict } from './options.js';

/** @param isStrict whether each warning is a failure */
export function verdictOf({ found }: Judgement, level: Level, isStrict: boolean): Verdict {
  if (found === 'unjudged' || found === 'inapplicable') return 'na';
  if (level === 'info' || found === 'noted') return 'info';
  if (found === 'passed') return 'pass';
  return isStrict || (found === 'failed' && level === 'must') ? 'fail' : 'warn';
}
