import type { Scheme, TimestampFormat } from './schemes/scheme.js';
import { templateOf, type Template } from './template.js';

/** What surrounds the body in the signed text of a scheme. */
export interface SignedTextForm {
  readonly before: RegExp;
  readonly after: RegExp;
}

/** Those of the schemes that sign more than the body. */
export function signedTextForms(schemes: readonly Scheme[]): SignedTextForm[] {
  return schemes.flatMap((scheme) => {
    const template = templateOf(scheme.content);
    const at = template.findIndex((part) => 'name' in part && part.name === 'body');
    if (at < 0 || template.length === 1) return [];
    const before = sourceOf(template.slice(0, at), scheme, idBefore);
    const after = sourceOf(template.slice(at + 1), scheme, idAfter);
    return { before: new RegExp(`^${before}`), after: new RegExp(`${after}$`) };
  });
}

/** Whether a text has one of these forms, whatever the body in it is. */
export function isOneText(text: Uint8Array, forms: readonly SignedTextForm[]): boolean {
  if (forms.length === 0) return false;
  const start = Buffer.from(text.subarray(0, longest)).toString('latin1');
  const end = Buffer.from(text.subarray(-longestEnd)).toString('latin1');
  return forms.some(({ before, after }) => before.test(start) && after.test(end));
}

/** More than an id, a time and a URL have, in bytes. */
const longest = 16 * 1024;
/** Every position of it is tried. */
const longestEnd = 1024;

/** No object, array or text of JSON, and no XML, begins so. */
const idBefore = '[^\\s{["<][\\x21-\\x7e]{0,1023}?';
/** None of them ends so. */
const idAfter = '[\\x21-\\x7e]{0,255}?[^\\s}\\]">]';

function sourceOf(template: Template, { timestamp }: Scheme, id: string): string {
  const known = { ...values, id, timestamp: times[timestamp?.format ?? 'seconds'] };
  return template
    .map((part) => {
      if ('text' in part) return latin1(part.text).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
      return known[part.name as keyof typeof known];
    })
    .join('');
}

/** The text is compared byte by byte. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

const values = {
  url: 'https?://[\\x21-\\x7e]{1,8192}?',
  method: '[A-Z]{1,32}',
  // A body that the scheme signs twice.
  body: '[^]*',
};

const times: Readonly<Record<TimestampFormat, string>> = {
  seconds: '\\d{10,11}',
  ms: '\\d{12,14}',
  iso: '\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d[\\d.]*(?:[Zz]|[+-]\\d\\d:\\d\\d)',
};
