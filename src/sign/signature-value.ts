import { signatureBytes } from './scheme-key.js';
import type { Scheme, SignatureVersion } from './schemes/scheme.js';
import { templateOf } from './template.js';
import { fault, type ValueFault, type VerifyFault } from './verify-reason.js';
import { faultOfXSignature } from './x-signature-value.js';

/** What the header of a signature says. */
export interface SignatureValue {
  /** In known versions; at least one. */
  readonly signatures: readonly ReceivedSignature[];
  /** As written, if it stands in the value. */
  readonly timestamp?: string;
}

export interface ReceivedSignature {
  readonly version: SignatureVersion;
  readonly bytes: Buffer;
}

type ParseValue = (header: string, value: string) => SignatureValue | ValueFault;

/** Parses values of one scheme; a fault if one is not exactly in its form. */
export function valueParser(scheme: Scheme): ParseValue {
  return scheme.name === 'x-signature' ? xSignatureParser(scheme) : formParser(scheme);
}

/** `X-Signature` is a single signature in hex, and has faults with words of its own. */
function xSignatureParser({ versions: [version] }: Scheme): ParseValue {
  return (_header, value) =>
    faultOfXSignature(value) ?? {
      signatures: [{ version: version!, bytes: Buffer.from(value, 'hex') }],
    };
}

function formParser(scheme: Scheme): ParseValue {
  const cut = scheme.separator === undefined ? wholeCutter(scheme) : listCutter(scheme);
  const joins = `${scheme.value}${scheme.separator ?? ''}`.includes(', ');
  return (header, value) => {
    if (value === '') return fault('empty', `the ${header} header is empty; make the sender sign`);
    if (value.trim() !== value) {
      return fault('space', `the ${header} header has space around it; remove the space`);
    }
    if (!joins && value.includes(', ')) {
      const what = 'was sent more than once, or has a space after a comma';
      return fault('repeated', `the ${header} header ${what}; send one, without that space`);
    }
    const texts = cut(value);
    return texts === undefined ? malformed(scheme, header) : signaturesOf(scheme, header, texts);
  };
}

/** The parts of a value, still as text. */
interface Texts {
  readonly items: readonly string[];
  readonly timestamp?: string;
}

type Cut = (value: string) => Texts | undefined;

/** One signature, in the midst of literal text. */
function wholeCutter({ value: form }: Scheme): Cut {
  const names: string[] = [];
  const source = templateOf(form).map((part) => {
    if ('text' in part) return part.text.replace(/[^\w]/g, '\\$&');
    names.push(part.name);
    return '([^]*?)';
  });
  const whole = new RegExp(`^${source.join('')}$`);
  return (value) => {
    const found = whole.exec(value)?.slice(1);
    if (!found) return undefined;
    const timestamp = found[names.indexOf('timestamp')];
    const items = [found[names.indexOf('signatures')]!];
    return timestamp === undefined ? { items } : { items, timestamp };
  };
}

/** A list in any order, whose time is told by the text before it. */
function listCutter({ value: form, separator }: Scheme): Cut {
  const timePart = form.split(separator!).find((part) => part.includes('{timestamp}'));
  return (value) => {
    const parts = value.split(separator!);
    if (timePart === undefined) return { items: parts };
    const times = parts.flatMap((part) => between(part, timePart) ?? []);
    const items = parts.filter((part) => between(part, timePart) === undefined);
    if (times.length > 1) return undefined;
    return times.length === 0 ? { items } : { items, timestamp: times[0]! };
  };
}

/** The text in place of the placeholder of a form. */
function between(text: string, form: string): string | undefined {
  const [before, after] = around(form);
  const isLong = text.length >= before.length + after.length;
  if (!isLong || !text.startsWith(before) || !text.endsWith(after)) return undefined;
  return text.slice(before.length, text.length - after.length);
}

function around(form: string): [before: string, after: string] {
  const [before = '', after = ''] = form.split(/\{(?:signature|timestamp)\}/);
  return [before, after];
}

function signaturesOf(
  scheme: Scheme,
  header: string,
  { items, timestamp }: Texts,
): SignatureValue | VerifyFault {
  const read = items.map((item) => readItem(scheme, header, item));
  const broken = read.find((one) => one === 'malformed');
  if (broken) return malformed(scheme, header);
  const signatures = read.filter((one) => typeof one === 'object' && 'bytes' in one);
  if (signatures.length > 0) {
    return timestamp === undefined ? { signatures } : { signatures, timestamp };
  }
  const known = read.find((one) => typeof one === 'object');
  if (known) return known as VerifyFault;
  if (items.length === 0) {
    return fault('empty', `the ${header} header has no signature; make the sender sign`);
  }
  return fault(
    'unknown_version',
    `the ${header} header has no signature of a known version; ${expected(scheme)}`,
  );
}

/** A signature; what is wrong with it; `other` for another version, which is skipped. */
function readItem(
  { name, versions }: Scheme,
  header: string,
  text: string,
): ReceivedSignature | VerifyFault | 'malformed' | 'other' {
  for (const version of versions) {
    const signature = between(text, version.item);
    if (signature === undefined) continue;
    const bytes = decoded(signature, version, header);
    if (version.encoding === 'hex' && !eitherCase.has(name) && /[A-F]/.test(signature)) {
      return 'reason' in bytes ? bytes : uppercase(header);
    }
    return 'reason' in bytes ? bytes : { version, bytes };
  }
  return versions.some(({ item }) => isLabelled(text, item)) ? 'other' : 'malformed';
}

/** Receivers of GitHub accept hex in either case. */
const eitherCase: ReadonlySet<string> = new Set(['github', 'github-sha1']);

function uppercase(header: string): VerifyFault {
  return fault(
    'uppercase',
    `the signature of ${header} has uppercase letters; write it in lowercase`,
  );
}

/** Whether a text has a label that ends as that of a form does: `v9,` like `v1,`. */
function isLabelled(text: string, form: string): boolean {
  const [before] = around(form);
  const end = before.slice(-1);
  const [label] = text.split(end, 1) as [string];
  return /^\W$/.test(end) && label.length < text.length && /^[\w.-]+$/.test(label);
}

function decoded(text: string, version: SignatureVersion, header: string): Buffer | VerifyFault {
  const { encoding } = version;
  if (text === '')
    return fault('empty', `the ${header} header has an empty signature; make the sender sign`);
  const bytes = Buffer.from(text, encoding);
  if (encoding === 'hex' ? !/^(?:[0-9a-f]{2})+$/i.test(text) : bytes.toString('base64') !== text) {
    return encoding === 'hex'
      ? fault('not_hex', `the signature of ${header} is not hex; write it as hex characters`)
      : fault('not_base64', `the signature of ${header} is not Base64; write it with padding`);
  }
  const length = signatureBytes(version);
  if (bytes.length === length) return bytes;
  return fault(
    'length',
    `the signature of ${header} has ${bytes.length} bytes; ${version.digest} has ${length}`,
  );
}

function malformed(scheme: Scheme, header: string): VerifyFault {
  return fault(
    'malformed',
    `the ${header} header is not in the form of ${scheme.name}; ${expected(scheme)}`,
  );
}

/** `write it as t={timestamp},v1={signature}`. */
function expected({ value, versions }: Scheme): string {
  return `write it as ${value.replace('{signatures}', versions[0]!.item)}`;
}
