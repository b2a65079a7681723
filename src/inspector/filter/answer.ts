import type { RequestRow } from '../api.js';

/** Answers by their class; `none` where the connection was cut or left hanging on purpose. */
export type AnswerClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'none';

export function answerClass({ response: { status } }: RequestRow): AnswerClass {
  return status === null ? 'none' : (`${Math.floor(status / 100)}xx` as AnswerClass);
}
