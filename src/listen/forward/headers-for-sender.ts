import { isHopByHop } from '../../http/header-rules.js';

export type HeaderPair = readonly [name: string, value: string];

/**
 * The headers of the app's response for the sender, in their order and spelling: all but the
 * hop-by-hop ones. `rawHeaders` are name, value, name, value, ….
 */
export function headersForSender(rawHeaders: readonly string[]): HeaderPair[] {
  const pairs: HeaderPair[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    // The length of a body, or of the one that HEAD and 304 do not send, is the same for the sender.
    const isKept = name.toLowerCase() === 'content-length' || !isHopByHop(name, rawHeaders);
    if (isKept) pairs.push([name, rawHeaders[i + 1]!]);
  }
  return pairs;
}
