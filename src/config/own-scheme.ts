import { UsageError } from '../errors.js';
import { similar } from '../nearest.js';
import { isQuotable } from '../quoted.js';
import { hmacKeyProblem } from '../sign/asymmetric-key.js';
import { frozen, presets } from '../sign/schemes/index.js';
import type { Scheme, SecretForm, SignatureVersion } from '../sign/schemes/scheme.js';
import { survivesRoundTrip } from '../sign/round-trip.js';
import { checkSchemeHeaders, type Refuse } from './scheme-headers.js';
import { durationMs } from './duration.js';
import type { Where } from './environment.js';
import type { SchemeSection } from './schema.js';

/**
 * An own signature scheme of the configuration file.
 *
 * @throws UsageError with file, line and key path, for what no request could be signed or verified by
 */
export function ownScheme(name: string, section: SchemeSection, where: Where): Scheme {
  const refuse: Refuse = (path, problem) => {
    throw new UsageError(`${where(['schemes', name, ...path])} ${problem}`);
  };
  checkName(name, refuse);
  checkTexts(section, refuse);
  checkSchemeHeaders(section, refuse);
  checkSources(section, refuse);
  checkContent(section, refuse);
  const scheme = toScheme(name, section, refuse);
  if (!survivesRoundTrip(scheme)) {
    refuse(['value'], 'cannot be taken apart again; put other text between its parts');
  }
  return frozen(scheme);
}

function checkName(name: string, refuse: Refuse): void {
  if (presets.has(name)) refuse([], 'is the name of a preset; choose another name');
  if (name === 'auto' || !/^[a-z0-9][\w.-]*$/i.test(name)) {
    refuse([], 'cannot be used as a name; use letters, digits, dots and dashes');
  }
}

function checkTexts({ content, value = bare, separator }: SchemeSection, refuse: Refuse): void {
  checkPlaceholders(content, ['body', 'timestamp', 'id', 'url', 'method'], (problem) =>
    refuse(['content'], problem),
  );
  const names = checkPlaceholders(value, ['signature', 'timestamp'], (problem) =>
    refuse(['value'], problem),
  );
  const signatures = names.filter((name) => name === 'signature').length;
  if (signatures === 0) refuse(['value'], 'has no {signature}; add it');
  if (signatures > 1 || names.length - signatures > 1) {
    refuse(['value'], 'has a placeholder twice; keep one');
  }
  for (const [key, text] of Object.entries({ value, separator: separator ?? ',' })) {
    if (!/^[\t\x20-\x7e]*$/.test(text)) refuse([key], 'must be ASCII, in one line');
  }
  if (separator !== undefined && /[\w{}]/.test(separator)) {
    refuse(['separator'], 'must not have letters, digits or braces');
  }
  if (value.trim() !== value) refuse(['value'], 'has space around it; remove the space');
}

const bare = '{signature}';

/** The names of the placeholders of a text. */
function checkPlaceholders(
  text: string,
  known: readonly string[],
  refuse: (problem: string) => never,
): string[] {
  return [...text.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => {
    if (known.includes(name)) return name;
    const listed = known.map((one) => `{${one}}`).join(', ');
    const shown = isQuotable(name) ? ` {${name}}` : '';
    const meant = similar(name, known);
    const hint = meant === undefined ? '' : ` (did you mean {${meant}}?)`;
    return refuse(`has an unknown placeholder${shown}${hint}; expected one of ${listed}`);
  });
}

/** What is signed must be sent, too, or nobody could verify it. */
function checkSources(section: SchemeSection, refuse: Refuse): void {
  const { content, value = bare, timestamp, id, tolerance } = section;
  const isTimeSent = value.includes('{timestamp}') || timestamp?.header !== undefined;
  if (content.includes('{timestamp}') && !isTimeSent) {
    refuse(['content'], 'has {timestamp}, which is not sent; add timestamp.header');
  }
  if (timestamp && !isTimeSent) {
    refuse(['timestamp'], 'has no header; add one, or {timestamp} to the value');
  }
  if (tolerance !== undefined && !isTimeSent) {
    refuse(['tolerance'], 'needs a time; add timestamp.header');
  }
  if (content.includes('{id}') && !id) {
    refuse(['content'], 'has {id}, which is not sent; add id.header');
  }
}

/** What is not signed, anyone could change: the body, or the time of a request that has expired. */
function checkContent({ content, tolerance }: SchemeSection, refuse: Refuse): void {
  if (!content.includes('{body}')) refuse(['content'], 'has no {body}; add it');
  if (tolerance !== undefined && !content.includes('{timestamp}')) {
    refuse(['content'], 'has no {timestamp}, so the tolerance has no effect; add it');
  }
}

function toScheme(name: string, section: SchemeSection, refuse: Refuse): Scheme {
  const { content, header, value = bare, separator, timestamp, id, tolerance } = section;
  const { item, whole } = cut(value, separator);
  const hasTime = timestamp !== undefined || value.includes('{timestamp}');
  return {
    name,
    content,
    versions: [versionOf(section, item, refuse)],
    header,
    value: whole,
    ...(separator !== undefined && { separator }),
    ...(hasTime && { timestamp: { format: 'seconds', ...timestamp } }),
    ...(id && { id }),
    ...(tolerance !== undefined && { toleranceMs: toleranceOf(tolerance, refuse) }),
    judgesFuture: true,
  };
}

/** The part of a value that is repeated for each signature, and the value around it. */
function cut(value: string, separator: string | undefined): { item: string; whole: string } {
  const parts = separator === undefined ? [value] : value.split(separator);
  const item = parts.find((part) => part.includes(bare))!;
  if (item.includes('{timestamp}'))
    return { item: bare, whole: value.replace(bare, '{signatures}') };
  return { item, whole: value.replace(item, '{signatures}') };
}

function versionOf(
  { digest, encoding, secret = {} }: SchemeSection,
  item: string,
  refuse: Refuse,
): SignatureVersion {
  const isAsymmetric = digest === 'ed25519';
  if (isAsymmetric && secret.encoding === 'utf8') {
    refuse(['secret', 'encoding'], 'must be base64 for ed25519');
  }
  if (!isAsymmetric && hmacKeyProblem(secret.prefix ?? '') !== undefined) {
    refuse(['secret', 'prefix'], 'is that of an ed25519 key; choose another, or digest: ed25519');
  }
  const form: SecretForm = { encoding: isAsymmetric ? 'base64' : 'utf8', ...secret };
  return { digest, encoding, secret: form, item };
}

function toleranceOf(text: string, refuse: Refuse): number {
  return (
    durationMs(text) ?? refuse(['tolerance'], 'cannot come from the environment; write it out')
  );
}
