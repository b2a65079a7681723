import type { RequestRow } from '../api.js';
import { answerClass } from '../filter/answer.js';

/** The status of an answer, or that there was none. */
export function Answer({ row }: { readonly row: RequestRow }) {
  const { status } = row.response;
  const isGood = answerClass(row) === '2xx';
  return <span class={isGood ? 'status' : 'status bad'}>{status ?? 'no answer'}</span>;
}
