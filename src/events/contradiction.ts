import { compareDecimals, isDecimal } from '../json/decimal.js';
import { pathText } from '../json/path.js';
import { partsOf, type ConditionParts } from './where.js';

/**
 * Two conditions of a list that cannot both hold, where that is plain to see: of one path, `a` and `!a`, two texts
 * that it equals, a text that it equals and does not, numbers that leave no room. Undefined if none are found.
 */
export function contradictionIn(
  texts: readonly string[],
): readonly [first: string, second: string] | undefined {
  const all = texts.map((text) => ({ text, ...partsOf(text) }));
  for (const [i, second] of all.entries()) {
    const first = all.slice(0, i).find((one) => isSamePath(one, second) && excludes(one, second));
    if (first) return [first.text, second.text];
  }
  return undefined;
}

function isSamePath(a: ConditionParts, b: ConditionParts): boolean {
  return pathText(a.names) === pathText(b.names);
}

function excludes(a: ConditionParts, b: ConditionParts): boolean {
  if (a.isNegated || b.isNegated) return needsValue(a) || needsValue(b);
  if (a.operator === '=' && b.operator === '=') return a.right !== b.right;
  const operators = [a.operator, b.operator];
  if (operators.includes('=') && operators.includes('!=')) return a.right === b.right;
  return leavesNoRoom(a, b) || leavesNoRoom(b, a);
}

/** Whether nothing that is absent fits. */
function needsValue({ isNegated, operator }: ConditionParts): boolean {
  return !isNegated && operator !== '!=';
}

/** Whether the least number of one is above the greatest of the other. */
function leavesNoRoom(low: ConditionParts, high: ConditionParts): boolean {
  const isLow = low.operator === '>' || low.operator === '>=';
  const isHigh = high.operator === '<' || high.operator === '<=';
  if (!isLow || !isHigh || !isDecimal(low.right) || !isDecimal(high.right)) return false;
  const order = compareDecimals(low.right, high.right);
  return order > 0 || (order === 0 && (low.operator === '>' || high.operator === '<'));
}
