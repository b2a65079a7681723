import { isObject } from '../json/is-object.js';

/** Another way to write the text of a JSON body; undefined if it has nothing that can be written so. */
export type Spelling = (text: string) => string | undefined;

/** A text in a body, with the colon behind it if it is a name; or a number. */
const tokens = /"((?:[^"\\]|\\.)*)"(\s*:)?|-?\d+\.\d+(?![\d.eE])/gs;

export const spellings = {
  /** Each member in a line of its own. */
  spaced: (text) => JSON.stringify(JSON.parse(text), null, 2),

  /** The first letter of each text as `\u0061`, and each `/` as `\/`. */
  escaped: (text) =>
    changed(text, (token, value: string | undefined, colon: string | undefined) => {
      if (value === undefined || colon !== undefined || value.includes('\\')) return token;
      const escaped = value.replace(/^[a-z]/i, unicodeEscape).replaceAll('/', '\\/');
      return `"${escaped}"`;
    }),

  /** `1.5` as `1.50`. Whole numbers stay: with a fraction, typed receivers refuse them. */
  withZeros: (text) =>
    changed(text, (token, value: string | undefined) =>
      value === undefined ? `${token}0` : token,
    ),

  /** As it is, if it has characters outside ASCII. */
  beyondAscii: (text) => (/[^\0-\x7f]/.test(text) ? text : undefined),

  /** The members of the event in reverse. */
  reversed: (text) => {
    const value: unknown = JSON.parse(text);
    const event: unknown = Array.isArray(value) ? value[0] : value;
    if (!isObject(event)) return undefined;
    const entries = Object.entries(event).toReversed();
    const turned: object = Object.fromEntries(entries);
    const other = JSON.stringify(
      Array.isArray(value) ? [turned, ...(value as unknown[]).slice(1)] : turned,
    );
    return other === text ? undefined : other;
  },

  withNewline: (text) => `${text}\n`,
} satisfies Readonly<Record<string, Spelling>>;

function changed(
  text: string,
  change: (token: string, value?: string, colon?: string) => string,
): string | undefined {
  const other = text.replace(tokens, change);
  return other === text ? undefined : other;
}

/** `\\u0061` */
export function unicodeEscape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
