import { isHopByHop } from '../http/header-rules.js';
import { curlHeader, shellWord } from './shell.js';
import { decoded, safeWord } from './shell-text.js';

/** A request as it is repeated. */
interface Request {
  readonly method: string;
  readonly path: string;
  /** Name, value, name, value, … */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** How a request is signed again before it is sent. */
export interface Signing {
  /** `evfwd sign …` without its body; it prints the headers. */
  readonly command: string;
  /** The recorded headers that it replaces, in lower case. */
  readonly replaced: ReadonlySet<string>;
}

/**
 * Sends the same bytes with the same headers, as recorded, or with those of a new signature.
 * @param flags more of curl's, each quoted for the shell
 */
export function curlCommand(
  request: Request,
  url: string,
  signing?: Signing,
  flags: readonly string[] = [],
): string {
  const { body } = request;
  const words = [...curlWords(request, url, signing), ...flags];
  if (signing) return signedCommand(words.join(' '), body, signing.command);
  if (body.length === 0) return words.join(' ');
  const word = plainWord(body);
  if (word !== undefined) return [...words, `--data-binary ${word}`].join(' ');
  return `${decoded(body)} | ${[...words, '--data-binary @-'].join(' ')}`;
}

/** The body is in a variable, or in a file: it is signed, and sent. */
function signedCommand(curl: string, body: Buffer, sign: string): string {
  if (body.length === 0) return `printf '' | ${sign} --empty - | ${curl}`;
  const word = plainWord(body);
  if (word !== undefined) {
    return `body=${word}; printf %s "$body" | ${sign} - | ${curl} --data-binary "$body"`;
  }
  const file = `body=$(mktemp) && ${decoded(body)} > "$body"`;
  return `${file} && ${sign} "$body" | ${curl} --data-binary @"$body"`;
}

/** A text that begins with @ would be the name of a file. */
function plainWord(body: Buffer): string | undefined {
  return body[0] === 0x40 ? undefined : safeWord(body);
}

function curlWords(
  { method, path, headers, body }: Request,
  url: string,
  signing: Signing | undefined,
): string[] {
  // -g: brackets and braces belong to the URL and are not patterns of curl.
  const words = ['curl -g', method === 'HEAD' ? '--head' : `-X ${method}`, ...targetOf(path, url)];
  if (signing) words.push('-H @-');
  const names = new Set<string>();
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!;
    if (isHopByHop(name, headers) || signing?.replaced.has(name.toLowerCase())) continue;
    names.add(name.toLowerCase());
    words.push(`-H ${curlHeader(name, headers[i + 1]!)}`);
  }
  // Headers that curl would add by itself.
  for (const name of ['User-Agent', 'Accept', ...(body.length > 0 ? ['Content-Type'] : [])]) {
    if (!names.has(name.toLowerCase())) words.push(`-H '${name}:'`);
  }
  return words;
}

/** curl removes dots and fragments from the path of a URL, but not from `--request-target`. */
function targetOf(path: string, url: string): string[] {
  const isPlain = path.startsWith('/') && !/#|\/\.|\\/.test(path);
  if (isPlain) return [shellWord(url + path)];
  return [shellWord(url), `--request-target ${shellWord(path)}`];
}
