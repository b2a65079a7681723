import { invalidValue } from '../shared/flag-values.js';

/** A status, or a class of them. */
export interface ExpectedStatus {
  /** As it was typed: `401` or `4xx`. */
  readonly text: string;
  isMetBy(status: number | null): boolean;
}

/** `401` or `4xx`, in any case. */
export function parseExpectedStatus(text: string): ExpectedStatus {
  const form = text.toLowerCase();
  if (/^[1-5]\d\d$/.test(form)) return { text, isMetBy: (status) => status === Number(form) };
  if (/^[1-5]xx$/.test(form)) {
    return { text, isMetBy: (status) => String(status).startsWith(form[0]!) };
  }
  throw invalidValue(text, 'is not a status; use one like 401, or a class like 4xx');
}
