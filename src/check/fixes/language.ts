import type { Template } from '../../sign/template.js';
import type { Language } from './frameworks.js';

/** What a language writes of texts and of the names of the files in `fixes/verify/`. */
interface Grammar {
  /** What stands for `{id}`, `{timestamp}`, `{url}`, `{signature}` and, as text, for `{body}`. */
  readonly names: Readonly<Record<string, string>>;
  /** The inside of a literal text. */
  readonly escape: (text: string) => string;
  readonly quote: '"' | "'";
  /** A text with values in it: `${id}.`; without it the parts are joined. */
  readonly interpolated?: (template: Template) => string;
  /** Between parts that are joined. */
  readonly join: string;
  /** The bytes of a text. */
  readonly bytes: (text: string) => string;
  /** Bytes in a row. */
  readonly concat: (parts: readonly string[]) => string;
  /** A path of members. */
  readonly path: (names: readonly string[]) => string;
}

const control = (text: string): string =>
  text.replace(/[\0-\x1f\x7f]/g, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
const doubleQuoted = (text: string): string => control(text.replace(/["\\]/g, '\\$&'));
const joined = (parts: readonly string[]): string => parts.join(' + ');
const inRow = (names: readonly string[]): string => names.join(', ');

const grammars: Readonly<Record<Language, Grammar>> = {
  js: {
    names: { id: 'id', timestamp: 'sentAt', url: 'url', signature: 'signature' },
    escape: (text) => control(text.replace(/['\\]/g, '\\$&')),
    quote: "'",
    interpolated: (template) =>
      `\`${fill('js', template, (text) => control(text.replace(/[`\\]|\$(?=\{)/g, '\\$&')), '${')}\``,
    join: ' + ',
    bytes: (text) => `Buffer.from(${text})`,
    concat: (parts) => `Buffer.concat([${parts.join(', ')}])`,
    path: (names) => `[${inRow(names)}]`,
  },
  python: {
    names: { id: 'message_id', timestamp: 'sent_at', url: 'url', signature: 'signature' },
    escape: doubleQuoted,
    quote: '"',
    interpolated: (template) =>
      `f"${fill('python', template, (text) => doubleQuoted(text).replace(/[{}]/g, '$&$&'), '{')}"`,
    join: ' + ',
    bytes: (text) => `${text}.encode()`,
    concat: joined,
    path: (names) => `[${inRow(names)}]`,
  },
  go: {
    names: {
      id: 'id',
      timestamp: 'sentAt',
      url: 'url',
      signature: 'signature',
      body: 'string(body)',
    },
    escape: doubleQuoted,
    quote: '"',
    join: '+',
    bytes: (text) => text,
    concat: (parts) => parts.join('+'),
    path: inRow,
  },
  ruby: {
    names: {
      ...{ id: 'id', timestamp: 'sent_at', signature: 'signature' },
      url: 'request.original_url',
    },
    escape: rubyText,
    quote: '"',
    interpolated: (template) => `"${fill('ruby', template, rubyText, '#{')}"`,
    join: ' + ',
    bytes: (text) => `${text}.b`,
    concat: joined,
    path: inRow,
  },
  php: {
    names: {
      ...{ id: '$id', timestamp: '$sentAt', signature: '$signature' },
      url: '$request->getSchemeAndHttpHost() . $request->getRequestUri()',
      body: '$body',
    },
    escape: (text) => text.replace(/['\\]/g, '\\$&'),
    quote: "'",
    join: ' . ',
    bytes: (text) => text,
    concat: (parts) => parts.join(' . '),
    path: (names) => names.map((name) => `[${name}]`).join(''),
  },
};

function rubyText(text: string): string {
  return doubleQuoted(text).replace(/#(?=[{$@])/g, '\\#');
}

function fill(
  language: Language,
  template: Template,
  escape: (text: string) => string,
  open: string,
): string {
  const { names } = grammars[language];
  return template
    .map((part) => ('text' in part ? escape(part.text) : `${open}${names[part.name]!}}`))
    .join('');
}

/** The inside of a literal text in the quotes that are usual in `fixes/`. */
export function escaped(language: Language, text: string): string {
  return grammars[language].escape(text);
}

/** A text in quotes; single ones of PHP escape no newline. */
function literal(language: Language, text: string): string {
  const { quote, escape } = grammars[language];
  const needsDouble = language === 'php' && control(text) !== text;
  return needsDouble
    ? `"${doubleQuoted(text).replaceAll('$', '\\$')}"`
    : quote + escape(text) + quote;
}

/** An expression for a text: a literal, a name, or both. */
export function textExpression(language: Language, template: Template): string {
  const { names, interpolated, join } = grammars[language];
  const parts = template.map((part) =>
    'text' in part ? literal(language, part.text) : names[part.name]!,
  );
  if (template.length < 2) return parts[0] ?? literal(language, '');
  return interpolated ? interpolated(template) : parts.join(join);
}

/** Expressions for the pieces of a signed text, each of them bytes in the end: texts, and `body`. */
export function pieceExpressions(language: Language, template: Template): Piece[] {
  const pieces: Piece[] = [];
  let text: Template = [];
  const endText = (): void => {
    if (text.length > 0) pieces.push({ text: textExpression(language, text) });
    text = [];
  };
  for (const part of template) {
    if ('name' in part && part.name === 'body') {
      endText();
      pieces.push('body');
    } else {
      text = [...text, part];
    }
  }
  endText();
  return pieces;
}

export type Piece = 'body' | { readonly text: string };

/** An expression for the bytes of these pieces. */
export function bytesExpression(language: Language, pieces: readonly Piece[]): string {
  const { names, bytes, concat } = grammars[language];
  const parts = pieces.map((piece) =>
    piece === 'body' ? (names.body ?? 'body') : bytes(piece.text),
  );
  return parts.length === 1 ? parts[0]! : concat(parts);
}

/** A path as the language has it: a list of names and indexes, the arguments of a call, or an access. */
export function pathExpression(language: Language, names: readonly string[]): string {
  const isIndex = (name: string): boolean => language !== 'go' && isListIndex(name);
  return grammars[language].path(
    names.map((name) => (isIndex(name) ? name : literal(language, name))),
  );
}

/** Whether a part of a path stands for an element of a list. */
export function isListIndex(name: string): boolean {
  return /^\d+$/.test(name);
}
