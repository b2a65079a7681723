import type { Scheme, TimestampFormat } from './schemes/scheme.js';
import { templateOf, type Template } from './template.js';
import { fault, type VerifyFault } from './verify-reason.js';

/** Of a request that a scheme has found valid. */
interface Valid {
  readonly body: Uint8Array;
  /** Those of the headers; undefined where the scheme has none. */
  readonly id?: string | undefined;
  readonly timestampMs?: number | undefined;
}

/**
 * Finds a fault if a request may have been signed by another scheme. What is signed is one text, so whoever
 * has recorded a request, also one that has expired, could send the same text with the same signature, but
 * cut in other places: the id and time of one scheme as the beginning of a body, or the beginning of a body
 * as an id.
 *
 * @param own schemes of the configuration file
 */
export function crossSchemeCheck(
  own: readonly Scheme[],
): (scheme: Scheme, valid: Valid) => VerifyFault | undefined {
  const forms = signedTextForms(own);
  return (scheme, { body, id = '', timestampMs = 0 }) => {
    const { name, content } = scheme;
    if (content === '{body}' ? isSignedText(body, forms) : beginsWithTime(body)) {
      return ambiguous(name, 'body begins or ends with a time, an id or a URL');
    }
    if (content.startsWith('{id}') && endsWithinAnother(id)) {
      return ambiguous(name, 'id begins as a body, or with the time of another scheme');
    }
    if (scheme.timestamp?.format === 'seconds' && timestampMs >= firstOfMilliseconds) {
      return ambiguous(name, 'time is in milliseconds, or an id');
    }
    return undefined;
  };
}

function ambiguous(name: string, what: string): VerifyFault {
  return fault(
    'scheme_mismatch',
    `the ${what}, as what other schemes sign does; name the scheme ${name} to accept it`,
  );
}

/** Seconds with 12 digits: no sender's clock says the year 5138, and milliseconds since 1973 are longer. */
const firstOfMilliseconds = 1e11 * 1000;

/** How the signed texts of the presets with a time begin, but for Twitch's. */
const withTimeFirst: readonly RegExp[] = [
  // Stripe, Convoy
  /^\d{10,}[.,]/,
  // Slack
  /^v0:\d+:/,
  // Standard Webhooks: an id has no dot.
  /^[^\s{["<.][\x21-\x2d\x2f-\x7e]*\.\d{10,}\./,
];

/** No object or array of JSON begins so. */
const presetTexts: readonly RegExp[] = [
  ...withTimeFirst,
  // Twitch: an id, then RFC 3339
  /^[^\s{["<][\x21-\x7e]*?\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d/,
  // Twilio
  /^https?:\/\//i,
];

/** More than an id, a time and a URL have, in bytes. */
const maxStartBytes = 16 * 1024;

function isSignedText(body: Uint8Array, forms: readonly SignedTextForm[]): boolean {
  const start = startOf(body);
  return presetTexts.some((form) => form.test(start)) || isOneText(body, forms);
}

/** A body behind a time of its own. The other beginnings also occur in bodies that are forms. */
function beginsWithTime(body: Uint8Array): boolean {
  const start = startOf(body.subarray(0, 64));
  return withTimeFirst.slice(0, 2).some((form) => form.test(start));
}

function startOf(body: Uint8Array): string {
  return Buffer.from(body.subarray(0, maxStartBytes)).toString('latin1');
}

/** How bodies of JSON, XML and with spaces begin; no id has a space. */
const bodies: readonly RegExp[] = [/^[{["<]/, /\s/];

function endsWithinAnother(id: string): boolean {
  return [...bodies, ...withTimeFirst].some((form) => form.test(id));
}

/** What surrounds the body in the signed text of a scheme. */
interface SignedTextForm {
  readonly before: RegExp;
  readonly after: RegExp;
}

/** Those of the schemes that sign more than the body. */
function signedTextForms(schemes: readonly Scheme[]): SignedTextForm[] {
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
function isOneText(text: Uint8Array, forms: readonly SignedTextForm[]): boolean {
  if (forms.length === 0) return false;
  const start = startOf(text);
  const end = Buffer.from(text.subarray(-maxEndBytes)).toString('latin1');
  return forms.some(({ before, after }) => before.test(start) && after.test(end));
}

/** Of the end of a text; every position of it is tried. */
const maxEndBytes = 1024;

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
