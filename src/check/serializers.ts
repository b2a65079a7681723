import { isObject } from '../json/is-object.js';
import { unicodeEscape } from './spelling.js';

/** How others than JavaScript write JSON, for receivers that serialize a body again before they verify it. */
export const serializers: Readonly<Record<string, (value: unknown) => string>> = {
  'json.dumps of Python': (value) =>
    asciiOnly(JSON.stringify(value)).replace(tokens, (token) =>
      token === ',' || token === ':' ? `${token} ` : token,
    ),
  'json_encode of PHP': (value) => asciiOnly(JSON.stringify(value)).replaceAll('/', '\\/'),
  'a serializer that sorts members': (value) =>
    JSON.stringify(sorted(value)).replace(/[<>&]/g, unicodeEscape),
};

/** Texts, and what stands between them. */
const tokens = /"(?:[^"\\]|\\.)*"|[,:]/g;

function asciiOnly(text: string): string {
  return text.replace(/[^\0-\x7f]/g, unicodeEscape);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}
