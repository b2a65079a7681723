/** Replaces secrets in a text of Latin-1 characters, one per byte. */
export interface Redaction {
  readonly all: (text: string) => string;
  /** The same for a text that may end in the middle of a secret. */
  readonly beginning: (text: string) => string;
}

const mask = '***';
/** Shorter values occur in other words by chance, and are replaced only where they stand alone. */
const minPartLength = 4;

const unchanged = (text: string): string => text;

/**
 * Hides these secrets in what an endpoint sends back, in the forms in which an echo repeats them: as they
 * are, in JSON, in HTML and percent-encoded, and the credentials in an Authorization value alone.
 */
export function redactionOf(secrets: readonly (string | Uint8Array)[]): Redaction {
  const forms = [...new Set(secrets.flatMap(formsOf))].filter((form) => form !== '');
  if (forms.length === 0) return { all: unchanged, beginning: unchanged };
  // The longest first: one secret may be the beginning of another.
  forms.sort((one, other) => other.length - one.length);
  const pattern = new RegExp(forms.map(patternOf).join('|'), 'g');
  const all = (text: string): string => text.replace(pattern, mask);
  return { all, beginning: (text) => withoutPartAtEnd(all(text), forms) };
}

/** The values in the query of a URL, as sent and decoded; a parameter without a value is one itself. */
export function querySecrets({ search }: URL): string[] {
  const parts = search.slice(1).split('&');
  const values = parts.map((part) => part.slice(part.indexOf('=') + 1));
  return values.flatMap((value) => [value, decoded(value), decoded(value.replaceAll('+', ' '))]);
}

/**
 * The name and password in a Basic header, the token in another, or the values of a list like `a=b; c="d"`,
 * beside the whole value.
 */
export function headerSecrets(value: string): string[] {
  const credentials = /^\S+\s+(\S+)$/.exec(value)?.[1];
  if (credentials === undefined || listed.test(credentials)) return [value, ...listedValues(value)];
  if (!/^basic\s/i.test(value)) return [value, credentials];
  const pair = Buffer.from(credentials, 'base64').toString('latin1');
  return [value, credentials, pair, pair.slice(pair.indexOf(':') + 1)];
}

/** `name=value`, but not the padding of Base64. */
const listed = /[^\s;,=]=[^\s;,=]/;

/** An endpoint may repeat a single cookie. Short values, like that of `v=1`, are no secrets. */
function listedValues(value: string): string[] {
  const values = [...value.matchAll(/[^\s;,=]=\s*(?:"([^"]*)"|([^\s;,]+))/g)];
  return values
    .map(([, quoted, plain]) => quoted ?? plain ?? '')
    .filter(({ length }) => length >= minPartLength);
}

function formsOf(secret: string | Uint8Array): string[] {
  if (typeof secret !== 'string') {
    const bytes = Buffer.from(secret);
    return [bytes.toString('latin1'), ...formsOf(bytes.toString('utf8'))];
  }
  const json = JSON.stringify(secret).slice(1, -1);
  const texts = [secret, json, json.replaceAll('/', '\\/'), asciiOf(json), htmlOf(secret)];
  // What was sent as Latin-1 may come back as UTF-8, and the other way around.
  return [...texts, encoded(secret)].flatMap((text) => [
    text,
    Buffer.from(text, 'utf8').toString('latin1'),
  ]);
}

/** JSON with all but ASCII escaped, as Python writes it. */
function asciiOf(json: string): string {
  return json.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function htmlOf(text: string): string {
  const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => escapes[character]!).replaceAll("'", '&#39;');
}

/** Half of a surrogate pair cannot be encoded. */
function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function patternOf(form: string): string {
  const literal = form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return form.length < minPartLength ? `(?<![\\w*])${literal}(?![\\w*])` : literal;
}

/** Replaces the beginning of a secret at the end of a text. */
function withoutPartAtEnd(text: string, forms: readonly string[]): string {
  const part = Math.max(...forms.map((form) => partAtEnd(text, form)));
  return part > 0 ? text.slice(0, -part) + mask : text;
}

/** How many characters at the end of the text are the beginning of this form. */
function partAtEnd(text: string, form: string): number {
  for (let length = Math.min(form.length - 1, text.length); length >= minPartLength; length--) {
    if (text.endsWith(form.slice(0, length))) return length;
  }
  return 0;
}
