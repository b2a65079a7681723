import { UsageError } from '../errors.js';
import { isHeaderName, isHeaderValue } from './header-rules.js';

const pathForm = /^[\x21-\x7e]+$/;

/** Request line and headers for one URL; the parts common to all requests are encoded once. */
export class RequestHeaders {
  /** From the request line to the last header that never changes. */
  readonly fixed: Buffer;

  /**
   * `headers` are name, value, name, value, …; a Host header replaces the one derived from the URL.
   * @throws UsageError for characters that would break the request apart, such as newlines.
   */
  constructor(url: URL, headers: readonly string[]) {
    const path = url.pathname + url.search;
    if (!pathForm.test(path)) throw new UsageError('a URL has characters that HTTP cannot carry');
    const pairs = pairsOf(headers);
    const host = pairs.find(isHost)?.[1] ?? url.host;
    const lines = [
      `POST ${path} HTTP/1.1`,
      `host: ${host}`,
      'connection: keep-alive',
      ...pairs.filter((pair) => !isHost(pair)).map(([name, value]) => `${name}: ${value}`),
    ];
    const text = lines.map((line) => `${line}\r\n`).join('');
    // Not from the pool of Node, of which a small buffer that is kept would keep 8 KB, for each of hundreds of URLs.
    this.fixed = Buffer.allocUnsafeSlow(text.length);
    this.fixed.write(text, 'latin1');
  }

  /** The remaining headers, in ASCII, after the `lines` of this request, each with its CRLF. */
  rest(bodyBytes: number, lines: string): string {
    return `${lines}content-length: ${bodyBytes}\r\n\r\n`;
  }
}

type Pair = readonly [name: string, value: string];

function pairsOf(headers: readonly string[]): Pair[] {
  const pairs: Pair[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) pairs.push(checked(headers[i]!, headers[i + 1]!));
  return pairs;
}

function checked(name: string, value: string): Pair {
  if (isHeaderName(name) && isHeaderValue(value)) return [name, value];
  throw new UsageError('a header has characters that HTTP cannot carry');
}

function isHost([name]: Pair): boolean {
  return name.toLowerCase() === 'host';
}
