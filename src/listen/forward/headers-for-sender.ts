import { isHopByHop } from '../../http/header-rules.js';

export type HeaderPair = readonly [name: string, value: string];

/**
 * The headers of the app's response for the sender, in their order and spelling: all but the
 * hop-by-hop ones. `rawHeaders` are name, value, name, value, ….
 */
export function headersForSender(status: number, rawHeaders: readonly string[]): HeaderPair[] {
  // RFC 9110 8.6: none of these has a length. A strict client would wait for the body.
  const mayHaveLength = status >= 200 && status !== 204;
  const pairs: HeaderPair[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    // The length of a body, or of the one that HEAD and 304 do not send, is the same for the sender.
    const isLength = name.toLowerCase() === 'content-length';
    const isKept = isLength ? mayHaveLength : !isHopByHop(name, rawHeaders);
    if (isKept) pairs.push([name, rawHeaders[i + 1]!]);
  }
  return pairs;
}
