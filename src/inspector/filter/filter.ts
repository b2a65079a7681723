import type { RequestRow, SignatureVerdict } from '../api.js';
import { differs } from '../shared/view/narrowed.js';
import { answerClass, type AnswerClass } from './answer.js';

/** What a list is narrowed to; undefined lets everything through. */
export interface Filter {
  /** Found anywhere in name, user, path or messageId, in any case. */
  readonly text: string;
  /** Null: requests in which no type could be made out. */
  readonly type: string | null | undefined;
  /** Found anywhere in the user, in any case. */
  readonly user: string;
  readonly signature: SignatureVerdict | undefined;
  /** `fault`: those that a fault struck. */
  readonly answer: AnswerClass | 'fault' | undefined;
}

export const noFilter: Filter = {
  text: '',
  type: undefined,
  user: '',
  signature: undefined,
  answer: undefined,
};

export function isNarrowed(filter: Filter): boolean {
  return differs(filter, noFilter);
}

/** Makes the test that a filter stands for. */
export function matcher(filter: Filter): (row: RequestRow) => boolean {
  const text = filter.text.trim().toLowerCase();
  const user = filter.user.trim().toLowerCase();
  return (row) =>
    (filter.type === undefined || row.type === filter.type) &&
    (filter.signature === undefined || row.signature === filter.signature) &&
    (filter.answer === undefined || hasAnswer(row, filter.answer)) &&
    (user === '' || holds(row.user, user)) &&
    (text === '' || [row.name, row.user, row.path, row.messageId].some((t) => holds(t, text)));
}

function hasAnswer(row: RequestRow, answer: AnswerClass | 'fault'): boolean {
  return answer === 'fault' ? row.fault !== null : answerClass(row) === answer;
}

function holds(text: string | null, part: string): boolean {
  return text?.toLowerCase().includes(part) ?? false;
}
