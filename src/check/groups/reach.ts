import { isIP } from 'node:net';
import { type Check, failed, passed, inconclusive, type CheckResult } from '../check.js';
import type { AddressFacts } from '../connection/facts.js';
import { msText } from '../statistics.js';
import { hostOf } from '../../http/url.js';

/** Whether the addresses of the host accept connections. */
export const reachChecks: readonly Check[] = [connects(), dualStack()];

/** A connection that takes longer leaves too little of a sender's deadline. */
const limitMs = 2_000;

function connects(): Check {
  return {
    id: 'reach.connect',
    level: 'must',
    stage: 'connect',
    title: 'Accepts connections',
    sends: 'a TCP connection to each address of the host',
    requests: 0,
    passes: 'one address connects in less than 2 s',
    why: 'The time to connect counts towards the deadline of a sender, which is 5 to 10 seconds in all.',
    fix: 'Look at what is in front of the endpoint (firewall, load balancer, cold start of a function), and keep one instance warm.',
    snippet: 'connection',
    evaluate: ({ session }) => Promise.resolve(evaluateConnects(session.facts.addresses)),
  };
}

function evaluateConnects(addresses: readonly AddressFacts[]): CheckResult {
  const open = addresses.filter(isOpen);
  const fastest = Math.min(...open.map(({ durationMs }) => durationMs));
  if (open.length === 0) return inconclusive('no connection was tried');
  if (fastest >= limitMs) return failed(`connected after ${msText(fastest)}, expected < 2 s`);
  const dead = addresses.filter((one) => !isOpen(one));
  const count = `${open.length} of ${addresses.length} addresses`;
  return passed(
    dead.length === 0
      ? `connected in ${msText(fastest)}`
      : `connected in ${msText(fastest)}, to ${count}; ${errorsOf(dead)}`,
  );
}

function dualStack(): Check {
  return {
    id: 'reach.dual-stack',
    level: 'info',
    stage: 'connect',
    title: 'Is reachable over IPv4 and IPv6',
    sends: 'a TCP connection to each address of the host',
    requests: 0,
    passes: 'each address family of the host name connects',
    why: 'A sender may try the other family first, and waits in vain if nothing listens at an address of the host name.',
    fix: 'Let the server listen on both families, or remove the DNS record (A or AAAA) of the one that fails.',
    snippet: 'connection',
    skipIf: ({ url }) =>
      isIP(hostOf(url)) === 0 ? undefined : 'the URL has an IP address, not a host name',
    evaluate: ({ session }) => Promise.resolve(evaluateFamilies(session.facts.addresses)),
  };
}

function evaluateFamilies(addresses: readonly AddressFacts[]): CheckResult {
  const families = ([4, 6] as const).map((family) => ({
    name: `IPv${family}`,
    all: addresses.filter((one) => one.family === family),
  }));
  const present = families.filter(({ all }) => all.length > 0);
  const [only, second] = present;
  if (!only) return inconclusive('no connection was tried');
  if (!second) return passed(`the host name has ${only.name} addresses only`);
  const dead = present.find(({ all }) => !all.some(isOpen));
  if (!dead) return passed('IPv4 and IPv6 connect');
  return dead.all.every(isUntried)
    ? inconclusive(`${dead.name} could not be tried from this machine: ${errorsOf(dead.all)}`)
    : failed(`${dead.name} fails: ${errorsOf(dead.all)}`);
}

function isOpen({ error }: AddressFacts): boolean {
  return error === undefined;
}

/** This machine has no way to addresses of that family. */
function isUntried({ errorCode = '' }: AddressFacts): boolean {
  return ['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(errorCode);
}

function errorsOf(addresses: readonly AddressFacts[]): string {
  return addresses.map(({ address, error = '' }) => `${address}: ${error}`).join(', ');
}
