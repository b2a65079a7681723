import { BlockList, isIP } from 'node:net';
import { lookup } from 'node:dns/promises';
import { createInterface } from 'node:readline/promises';
import { UsageError } from '../../errors.js';
import { hostOf, withoutQuery } from '../../http/url.js';
import type { Io } from './command.js';

/** What is asked about. */
export interface Sending {
  /** The beginning of a sentence: `check sends about 400 requests`. */
  readonly fact: string;
  /** The beginning of a question, before `to http://…`: `Send about 400 marked requests`. */
  readonly question: string;
}

/**
 * Asks before something is sent to an address that is not loopback.
 * @throws UsageError without a terminal, and if the answer is no
 */
export async function confirmAddress(url: URL, { fact, question }: Sending, io: Io): Promise<void> {
  if (await isLoopback(url)) return;
  const where = withoutQuery(url);
  if (!io.stdin.isTTY || !io.stderr.isTTY) {
    throw new UsageError(
      `${fact}, and ${where} is not on this machine; use --yes if you may do that`,
      'not_confirmed',
    );
  }
  const ask = createInterface({ input: io.stdin, output: io.stderr });
  try {
    const answer = await ask.question(`${question} to ${where}? [y/N] `);
    if (/^y(?:es)?$/i.test(answer.trim())) return;
  } finally {
    ask.close();
  }
  throw new UsageError('not confirmed; nothing was sent', 'not_confirmed');
}

/** A name is, if all its addresses are; one that is not found is refused later, with the reason. */
async function isLoopback(url: URL): Promise<boolean> {
  const host = hostOf(url);
  if (isIP(host) !== 0) return isLoopbackAddress(host);
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.every(({ address }) => isLoopbackAddress(address));
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** An IPv4 address in an IPv6 one counts as itself. */
function isLoopbackAddress(address: string): boolean {
  return loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
