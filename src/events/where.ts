import { UsageError } from '../errors.js';
import { timestampMs } from './timestamp.js';
import { wildcard } from './wildcard.js';
import { parsePath } from '../json/path.js';
import { compareDecimals, isDecimal } from '../json/decimal.js';

/** Returns the JSON text of a value at a path; undefined where there is none. */
export type ReadPath = (path: readonly string[]) => Buffer | undefined;

export type Condition = (read: ReadPath) => boolean;

type Test = (value: Buffer | undefined) => boolean;

const form =
  /^(?<no>!?)(?<path>(?:\\.|[^\\=!~<>])+)(?:(?<operator>!=|>=|<=|=|~|>|<)(?<right>.*))?$/s;

/**
 * Reads a condition: `path=text`, `path!=text`, `path~pattern` (`*` is any text), `path>=10` (`>`, `<`, `<=`;
 * numbers, or times in ISO 8601), `path` (is there), `!path`. What is absent fits only `!=` and `!path`. null is
 * there. `=` compares the value's own text, of a text without its quotes; numbers compare by their exact decimal.
 *
 * @throws UsageError that names the flag
 */
export function parseCondition(text: string, flag = '--where'): Condition {
  const { isNegated, names, operator, right } = partsOf(text, flag);
  const test = operator === undefined ? presence(!isNegated) : comparison(operator, right);
  if (!test) {
    throw new UsageError(
      `${flag} ${text}: ${operator} compares numbers, or times such as 2026-10-01T00:00:00Z`,
    );
  }
  return (read) => test(read(names));
}

/** The parts of a condition. */
export interface ConditionParts {
  /** Whether it is `!path`. */
  readonly isNegated: boolean;
  /** The path. */
  readonly names: readonly string[];
  /** Undefined: whether the path is there. */
  readonly operator: string | undefined;
  readonly right: string;
}

/** @throws UsageError that names the flag, for a text that has not the form of a condition */
export function partsOf(text: string, flag = '--where'): ConditionParts {
  const { no, path = '', operator, right = '' } = form.exec(text)?.groups ?? {};
  const names = parsePath(path);
  const isUsable = path !== '' && !names.includes('') && !(no === '!' && operator !== undefined);
  if (!isUsable) throw malformed(flag, text);
  return { isNegated: no === '!', names, operator, right };
}

function malformed(flag: string, text: string): UsageError {
  return new UsageError(
    `${flag} ${text}: is not a condition; write path=text, path!=text, path~pattern, path>=10, path or !path`,
  );
}

function presence(isThere: boolean): Test {
  return (value) => (value !== undefined) === isThere;
}

function comparison(operator: string, right: string): Test | undefined {
  if (operator === '=') return (value) => value !== undefined && ownText(value) === right;
  if (operator === '!=') return (value) => value === undefined || ownText(value) !== right;
  if (operator === '~') {
    const pattern = wildcard(right);
    return (value) => value !== undefined && pattern.test(ownText(value));
  }
  const order = orderTo(right);
  const fits = orders[operator]!;
  return (
    order &&
    ((value) => {
      const found = value && order(value);
      return found !== undefined && fits(found);
    })
  );
}

const orders: Readonly<Record<string, (order: number) => boolean>> = {
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
};

/** How a value compares to `right`: below zero, zero or above; undefined where it is of another kind. */
function orderTo(right: string): ((value: Buffer) => number | undefined) | undefined {
  if (isDecimal(right)) {
    return (value) => {
      const text = value.toString();
      return isDecimal(text) ? compareDecimals(text, right) : undefined;
    };
  }
  const time = timestampMs(right);
  if (time === undefined) return undefined;
  return (value) => {
    const at = timestampMs(ownText(value));
    return at === undefined ? undefined : at - time;
  };
}

/** Of a string its characters, of other values their JSON text. */
function ownText(value: Buffer): string {
  const text = value.toString();
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}
