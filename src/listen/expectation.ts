import { UsageError } from '../errors.js';
import { eventTypes } from '../events/event.js';
import { wildcard } from '../events/wildcard.js';
import type { SignatureVerdict } from '../api/listen.js';
import { suggestion } from '../nearest.js';
import type { Notes } from './notes.js';
import type { ReceivedRequest } from './received-request.js';

const operators = ['>=', '<=', '==', '!=', '>', '<'] as const;
type Operator = (typeof operators)[number];

/** How many requests or events of a kind are expected. */
export interface Expectation {
  /** As it was written. */
  readonly text: string;
  readonly operator: Operator;
  readonly number: number;
  /** How many of them a request contains. */
  readonly countIn: (received: Pick<ReceivedRequest, 'signature'>, notes: Notes) => number;
}

/**
 * Reads a rule of `--expect`: `track`, `track:Order *`, `*` or `signature:invalid`, then an operator
 * and a number; without them, at least one.
 *
 * @throws UsageError that says what is wrong
 */
export function parseExpectation(text: string): Expectation {
  const [, what, operator = '>=', number = '1'] = ruleForm.exec(text) ?? [];
  if (what === undefined ? unfinished.test(text) : /[<>=!]\s*$/.test(what)) {
    throw wrong(text, `expected a whole number after ${operators.join(' ')}, like track>=3`);
  }
  return {
    text,
    operator: operator as Operator,
    number: Number(number),
    countIn: counterOf((what ?? text).trim(), text),
  };
}

/** The last operator counts: names of events may contain others. */
const ruleForm = /^(.+?)\s*(>=|<=|==|!=|>|<)\s*(\d{1,15})\s*$/s;

/** An operator that is not followed by a whole number; `->` and `a=b` may be in a name. */
const unfinished = /(?:[<>=!]=\S*|[<>=!]\s*(?:-?\d\S*)?)$/;

/** Whether the count meets the expectation. */
export function holds({ operator, number }: Expectation, count: number): boolean {
  switch (operator) {
    case '>=':
      return count >= number;
    case '<=':
      return count <= number;
    case '==':
      return count === number;
    case '!=':
      return count !== number;
    case '>':
      return count > number;
    case '<':
      return count < number;
  }
}

/**
 * Whether something has to arrive to meet it. All others are met from the beginning, or can only be
 * evaluated at the end.
 */
export function isGoal(expectation: Expectation): boolean {
  const { operator } = expectation;
  const needsMore = operator === '>=' || operator === '>' || operator === '==';
  return needsMore && !holds(expectation, 0);
}

function counterOf(what: string, text: string): Expectation['countIn'] {
  const colon = what.indexOf(':');
  const type = colon < 0 ? what : what.slice(0, colon).trim();
  const name = colon < 0 ? undefined : what.slice(colon + 1).trim();
  if (type === '*' && name === undefined) return (_received, { events }) => events.length || 1;
  if (type === 'signature') return signatureCounter(name, text);
  if (!(eventTypes as readonly string[]).includes(type)) throw wrong(text, unknownType(type));
  if (name === '') throw wrong(text, `expected a name after the colon, like ${type}:Home`);
  const form = name === undefined ? undefined : wildcard(name);
  return (_received, { events }) => {
    let count = 0;
    for (const event of events) {
      if (event.type === type && (!form || form.test(event.name ?? ''))) count++;
    }
    return count;
  };
}

const verdicts: readonly SignatureVerdict[] = ['valid', 'invalid', 'missing', 'unchecked'];

function signatureCounter(name: string | undefined, text: string): Expectation['countIn'] {
  const verdict = verdicts.find((known) => known === name);
  if (verdict) return ({ signature }) => (signature === verdict ? 1 : 0);
  throw wrong(text, `a signature must be one of ${verdicts.join(', ')}, like signature:invalid==0`);
}

function unknownType(type: string): string {
  const names = [...eventTypes, '*', 'signature'];
  return `"${type}" is not an event type; ${suggestion(type, names)}`;
}

function wrong(text: string, what: string): UsageError {
  return new UsageError(`--expect "${text}": ${what}`, 'invalid_expectation');
}
