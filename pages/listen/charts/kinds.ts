import type { RequestRow } from '../../../src/api/listen.js';
import { statusClass } from '../filter/status-class.js';

/** What a timeline can be colored by. */
export type Coloring = 'response' | 'signature';

export interface Kind {
  readonly name: string;
  /** The custom property of the style sheets with its color. */
  readonly color: '--good' | '--neutral' | '--warn' | '--bad';
}

interface KindRule {
  readonly kinds: readonly Kind[];
  /** The index among the kinds. */
  readonly of: (row: RequestRow) => number;
}

const signatures = ['valid', 'unchecked', 'missing', 'invalid'];

/** The kinds of each coloring, from the bottom of a column to its top. */
export const kindRules: Readonly<Record<Coloring, KindRule>> = {
  response: {
    kinds: [
      { name: '2xx', color: '--good' },
      { name: 'not 2xx', color: '--warn' },
      { name: 'no response', color: '--bad' },
    ],
    of: (row) => {
      const status = statusClass(row);
      return status === '2xx' ? 0 : status === 'none' ? 2 : 1;
    },
  },
  signature: {
    kinds: [
      { name: 'valid', color: '--good' },
      { name: 'unchecked', color: '--neutral' },
      { name: 'missing', color: '--warn' },
      { name: 'invalid', color: '--bad' },
    ],
    of: ({ signature }) => signatures.indexOf(signature),
  },
};
