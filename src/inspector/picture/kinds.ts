import type { RequestRow } from '../api.js';
import { answerClass } from '../filter/answer.js';

/** What a timeline can be coloured by. */
export type Colouring = 'answer' | 'signature';

export interface Kind {
  readonly name: string;
  /** The custom property of the style sheets with its colour. */
  readonly colour: '--good' | '--neutral' | '--warn' | '--bad';
}

interface KindRule {
  readonly kinds: readonly Kind[];
  /** The index among the kinds. */
  readonly of: (row: RequestRow) => number;
}

const signatures = ['valid', 'unchecked', 'missing', 'invalid'];

/** The kinds of each colouring, from the bottom of a column to its top. */
export const kindRules: Readonly<Record<Colouring, KindRule>> = {
  answer: {
    kinds: [
      { name: '2xx', colour: '--good' },
      { name: 'not 2xx', colour: '--warn' },
      { name: 'no answer', colour: '--bad' },
    ],
    of: (row) => {
      const answer = answerClass(row);
      return answer === '2xx' ? 0 : answer === 'none' ? 2 : 1;
    },
  },
  signature: {
    kinds: [
      { name: 'valid', colour: '--good' },
      { name: 'unchecked', colour: '--neutral' },
      { name: 'missing', colour: '--warn' },
      { name: 'invalid', colour: '--bad' },
    ],
    of: ({ signature }) => signatures.indexOf(signature),
  },
};
