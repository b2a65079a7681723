import type { Scheme, SignatureVersion, TimestampFormat } from '../../sign/schemes/scheme.js';
import { templateOf, type Template } from '../../sign/template.js';
import type { FixInput } from './input.js';
import type { Language } from './frameworks.js';
import { bytesExpression, escaped, pieceExpressions, textExpression } from './language.js';
import type { Filling } from './template.js';

/** What fills `fixes/verify/` for a scheme. */
export function verificationOf({ scheme, isAsymmetric }: FixInput, language: Language): Filling {
  const version = versionFor(scheme, isAsymmetric);
  const content = contentOf(scheme);
  const pieces = pieceExpressions(language, content);
  const computes = pieces.length !== 1 || pieces[0] !== 'body';
  const item = itemOf(scheme, version);
  const literal = (text = ''): string => escaped(language, text);
  const { prefix = '' } = version.secret;
  return {
    texts: {
      scheme: scheme.name,
      header: literal(scheme.header),
      secondHeader: literal(scheme.secondHeader),
      separator: literal(scheme.separator),
      idHeader: literal(scheme.id?.header),
      timeHeader: literal(scheme.timestamp?.header),
      timePattern: timePattern(scheme, item),
      tolerance: String((scheme.toleranceMs ?? 0) / 1000),
      digest: version.digest,
      encoding: version.encoding,
      prefix: literal(prefix),
      prefixPattern: patternOf(prefix),
      itemPattern: itemPattern(item, version),
      content: bytesExpression(language, pieces),
      contentName: computes ? named('content', language) : named('body', language),
      updates: pieces.map((piece) => `.update(${piece === 'body' ? piece : piece.text})`).join(''),
      right: textExpression(language, templateOf(item)),
    },
    conditions: { ...conditionsOf(scheme, version, item), computesContent: computes },
  };
}

/** Go has bytes of the name `body`. */
function named(name: string, language: Language): string {
  return language === 'php' ? `$${name}` : name;
}

function conditionsOf(
  scheme: Scheme,
  { digest, encoding, secret }: SignatureVersion,
  item: string,
): Filling['conditions'] {
  const { timestamp, toleranceMs, separator, secondHeader, special } = scheme;
  const judges = (format: TimestampFormat): boolean =>
    toleranceMs !== undefined && timestamp?.format === format;
  const usesTime = toleranceMs !== undefined || `${scheme.content}${item}`.includes('{timestamp}');
  const isHmac = digest !== 'ed25519';
  const isBase64Key = secret.encoding === 'base64';
  const hasPrefix = secret.prefix !== undefined && secret.prefix !== '';
  return {
    hmac: isHmac,
    ed25519: !isHmac,
    url: special === 'twilio' || scheme.content.includes('{url}'),
    id: scheme.content.includes('{id}'),
    timeHeader: usesTime && timestamp?.header !== undefined,
    timePattern: usesTime && timestamp?.header === undefined,
    judgesSeconds: judges('seconds'),
    judgesMs: judges('ms'),
    judgesIso: judges('iso'),
    list: separator !== undefined,
    two: separator === undefined && secondHeader !== undefined,
    one: separator === undefined && secondHeader === undefined,
    base64Key: isHmac && isBase64Key,
    prefixedKey: isHmac && !isBase64Key && hasPrefix,
    plainKey: isHmac && !isBase64Key && !hasPrefix,
    base64Signature: encoding === 'base64',
    hexSignature: encoding === 'hex',
  };
}

function versionFor({ versions }: Scheme, isAsymmetric: boolean): SignatureVersion {
  const asymmetric = versions.find(({ digest }) => digest === 'ed25519');
  return isAsymmetric && asymmetric ? asymmetric : versions[0]!;
}

/** The signed text. The handlers take POST alone. */
function contentOf({ content }: Scheme): Template {
  return templateOf(content.replaceAll('{method}', 'POST'));
}

/** What is compared: a part of a list, else the whole value. */
function itemOf({ value, separator }: Scheme, { item }: SignatureVersion): string {
  return separator === undefined ? value.replace('{signatures}', () => item) : item;
}

/** A regular expression that finds the time in the value of the header, the same in all languages. */
function timePattern({ value, separator, timestamp }: Scheme, item: string): string {
  const time = timestamp?.format === 'iso' ? '(\\d+-[\\w:.+-]+)' : '(\\d+)';
  if (separator === undefined) {
    const [before = ''] = item.split('{timestamp}');
    return `^${patternOf(before)}${time}`;
  }
  const part = value.split(separator).find((one) => one.includes('{timestamp}')) ?? '';
  const [before = '', after = ''] = part.split('{timestamp}');
  const end = before === '' ? `${patternOf(after)}(?:${patternOf(separator)}|$)` : patternOf(after);
  return `(?:^|${patternOf(separator)})${patternOf(before)}${time}${end}`;
}

/** Finds a signature of ed25519, all of it: some decoders would take half a byte of hex for a whole one. */
function itemPattern(item: string, { encoding }: SignatureVersion): string {
  const [before = '', after = ''] = item.split('{signature}');
  const signature = encoding === 'hex' ? '[0-9a-f]{128}' : '[A-Za-z0-9+\\/]{86}==';
  return `^${patternOf(before)}(${signature})${patternOf(after)}$`;
}

/** A text as a regular expression; quotes are written so that they end no literal. */
function patternOf(text: string): string {
  return text
    .replaceAll('{timestamp}', '\0')
    .replaceAll('{signature}', '\0')
    .replace(/["'`\\]/g, (one) => `\\x${one.charCodeAt(0).toString(16)}`)
    .replace(/[$^*+?.()|[\]{}/#]/g, '\\$&')
    .replaceAll('\0', '.*');
}
