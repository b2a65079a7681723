import type { Forwarded, RequestRow } from '../../../src/api/listen.js';
import type { Field, Term } from './query.js';

/** Whether a text is anywhere in a request. */
export type HasText = (text: string, row: RequestRow) => boolean;

/** The test that all terms of a query make together. */
export function matcher(terms: readonly Term[], hasText: HasText): (row: RequestRow) => boolean {
  const tests = terms.map((term) => termMatcher(term, hasText));
  return (row) => tests.every((test) => test(row));
}

export function termMatcher(term: Term, hasText: HasText): (row: RequestRow) => boolean {
  const { field, value, isNegated = false } = term;
  if (field === 'text') return (row) => hasText(value, row) !== isNegated;
  const test = fieldTests[field](term);
  return (row) => test(row) !== isNegated;
}

type FieldTest = (term: Term) => (row: RequestRow) => boolean;

const fieldTests: Readonly<Record<Field, FieldTest>> = {
  type: oneOf((row) => row.type ?? 'none'),
  method: oneOf((row) => row.method),
  signature: oneOf((row) => row.signature),
  scheme: oneOf((row) => row.scheme ?? 'none'),
  reason: oneOf((row) => row.reason ?? 'none'),
  duplicate: oneOf((row) => (row.isDuplicate ? 'yes' : 'no')),
  forwarded: (term) => {
    const wanted = valuesOf(term);
    return ({ forwarded }) => wanted.some((value) => isForwarded(forwarded, value));
  },
  status: (term) => {
    const wanted = valuesOf(term);
    return (row) => wanted.some((value) => isStatus(statusText(row), value));
  },
  name: part((row) => row.name),
  user: part((row) => row.user),
  path: (term) => {
    const whole = part((row) => row.path)(term);
    const plain = part((row) => pathOf(row))(term);
    return (row) => whole(row) || plain(row);
  },
  fault: (term) => {
    const value = term.value.toLowerCase();
    if (value === 'any') return (row) => row.fault !== null;
    if (value === 'none') return (row) => row.fault === null;
    return part((row) => row.fault)(term);
  },
};

/** The path without its query. */
export function pathOf({ path }: RequestRow): string {
  const end = path.indexOf('?');
  return end < 0 ? path : path.slice(0, end);
}

/** One of the values that a term lists, in any case. */
function oneOf(valueOf: (row: RequestRow) => string): FieldTest {
  return (term) => {
    const wanted = valuesOf(term);
    return (row) => wanted.includes(valueOf(row).toLowerCase());
  };
}

/** A part of the value, in any case; the whole value for an exact term. */
function part(valueOf: (row: RequestRow) => string | null): FieldTest {
  return ({ value, isExact = false }) => {
    const wanted = value.toLowerCase();
    return (row) => {
      const found = valueOf(row)?.toLowerCase();
      return isExact ? found === wanted : (found?.includes(wanted) ?? false);
    };
  };
}

function valuesOf({ value, isQuoted }: Term): string[] {
  const wanted = value.toLowerCase();
  return isQuoted ? [wanted] : wanted.split(',').filter((text) => text !== '');
}

/** `503`, `5xx`, `none`. */
function isStatus(status: string, wanted: string): boolean {
  const digits = wanted.search(/x*$/);
  return (
    status.length === wanted.length && digits > 0 && status.startsWith(wanted.slice(0, digits))
  );
}

/** `any`, `none`; `error` for no whole response; a status as above, or the code of an error. */
function isForwarded(forwarded: Forwarded | null, wanted: string): boolean {
  if (wanted === 'none') return forwarded === null;
  if (forwarded === null) return false;
  const { status, error } = forwarded;
  if (wanted === 'any') return true;
  if (wanted === 'error') return error !== null;
  return error === wanted || (status !== null && isStatus(String(status), wanted));
}

/** The class of a status; `none` where a fault reset the connection or left it hanging. */
type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'none';

export function statusClass({ response: { status } }: RequestRow): StatusClass {
  return status === null ? 'none' : (`${Math.floor(status / 100)}xx` as StatusClass);
}

/** The status, or `none`. */
function statusText({ response: { status } }: RequestRow): string {
  return String(status ?? 'none');
}

/** Whether a reason says more than the verdicts `invalid` and `missing`. */
export function isSpecific(reason: string): boolean {
  return reason !== 'mismatch' && reason !== 'missing';
}

/** Why a signature is not valid, where that says more than its verdict; else null. */
export function specificReason({ reason }: Pick<RequestRow, 'reason'>): string | null {
  return reason !== null && isSpecific(reason) ? reason : null;
}
