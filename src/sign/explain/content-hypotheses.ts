import { presets } from '../schemes/index.js';
import type { Scheme } from '../schemes/scheme.js';
import { placeholders, templateOf } from '../template.js';
import type { Content, OtherContent } from './signing.js';
import { urlVariants } from './url-hypotheses.js';

/** What is known of a request beside its body; a member is absent where it is not known. */
export interface KnownValues {
  readonly id?: string;
  readonly timestamp?: string;
  readonly url?: string;
  readonly method?: string;
}

/** The signed bytes of a body by a template, where all its placeholders are known. */
export function contentBy(template: string, known: KnownValues): Content {
  if (template === '{body}') return (body) => body;
  const parts = templateOf(template);
  return (body) =>
    Buffer.concat(
      parts.map((part) => {
        if ('text' in part) return Buffer.from(part.text);
        if (part.name === 'body') return body;
        return Buffer.from(known[part.name as keyof KnownValues] ?? '');
      }),
    );
}

/** What a signer may have signed in place of the content of the scheme, the likeliest first. */
export function* otherContents(scheme: Scheme, known: KnownValues): Generator<OtherContent> {
  yield* ofOtherPresets(scheme, known);
  yield* withOtherTime(scheme, known);
  yield* withOtherUrl(scheme, known);
}

function* ofOtherPresets(scheme: Scheme, known: KnownValues): Generator<OtherContent> {
  const step = `sign ${scheme.content}`;
  for (const [template, names] of templates()) {
    if (template === scheme.content || !isKnown(template, known)) continue;
    const what = template === '{body}' ? 'the body alone' : template;
    const as = names.length === 1 ? `${names[0]!} signs` : `${names.join(' and ')} sign`;
    const fact = `what is signed is ${what}, as ${as} it`;
    yield { content: contentBy(template, known), hypothesis: { fact, step } };
  }
}

/** The templates of the presets, each with the names of two of them. */
function templates(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { name, content, special } of presets.values()) {
    if (special) continue;
    const names = found.get(content) ?? [];
    if (names.length < 2) names.push(name);
    found.set(content, names);
  }
  return found;
}

function isKnown(template: string, known: KnownValues): boolean {
  return placeholders(template).every(
    (name) => name === 'body' || known[name as keyof KnownValues] !== undefined,
  );
}

function* withOtherTime(scheme: Scheme, known: KnownValues): Generator<OtherContent> {
  const { timestamp } = known;
  if (timestamp === undefined || !/^\d{9,14}$/.test(timestamp)) return;
  const step = 'sign the time exactly as it is sent';
  const other = (text: string, unit: string): OtherContent => ({
    content: contentBy(scheme.content, { ...known, timestamp: text }),
    hypothesis: { fact: `the signed time is in ${unit}`, step },
  });
  if (timestamp.length <= 11) yield other(`${timestamp}000`, 'milliseconds');
  else yield other(timestamp.slice(0, -3), 'seconds');
}

function* withOtherUrl(scheme: Scheme, known: KnownValues): Generator<OtherContent> {
  if (known.url === undefined || !scheme.content.includes('{url}')) return;
  for (const { url, hypothesis } of urlVariants(known.url)) {
    yield { content: contentBy(scheme.content, { ...known, url }), hypothesis };
  }
}
