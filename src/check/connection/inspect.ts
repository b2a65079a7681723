import { EvfwdError, exitCodes } from '../../errors.js';
import { withoutQuery, hostOf } from '../../http/url.js';
import { explainError, type ExplainedError } from '../client-error.js';
import type { CheckSettings } from '../settings.js';
import { certificateFacts } from './certificate.js';
import { connectMs, connectToAll } from './connect.js';
import type { AddressFacts, CertificateFacts, ConnectionFacts, TlsFacts } from './facts.js';
import { isHandshake, outdatedVersions, shakeHands } from './handshake.js';

/** No connection to the endpoint can be opened; its message says why. */
export class UnreachableError extends EvfwdError {
  constructor(url: URL, why: string, next: string) {
    super('unreachable', `${withoutQuery(url)}: ${why}; ${next}`, exitCodes.usage);
  }
}

/**
 * Looks at the connection to an endpoint, and sends nothing over it.
 * @throws UnreachableError when no address connects, or what answers does not speak TLS
 */
export async function inspectConnection(
  settings: CheckSettings,
  signal?: AbortSignal,
): Promise<ConnectionFacts> {
  const { url } = settings;
  const addresses = await addressesOf(settings, signal);
  const open = addresses.find(({ error }) => error === undefined);
  if (!open) throw new UnreachableError(url, reasonsText(addresses), nextStep);
  if (url.protocol === 'http:') return { addresses, isExplained: false };
  const tls = await tlsFacts(open.address, settings, signal);
  const refusal = refusalOf(tls);
  return {
    addresses,
    tls,
    ...(refusal !== undefined && { refusal }),
    isExplained: refusal !== undefined && tls.certificate !== undefined,
  };
}

const nextStep = 'start the endpoint, or correct the URL';

async function addressesOf(
  settings: CheckSettings,
  signal?: AbortSignal,
): Promise<readonly AddressFacts[]> {
  try {
    return await connectToAll(settings, signal);
  } catch (error) {
    const { text } = explainError(error, connectMs, settings);
    throw new UnreachableError(settings.url, `${hostOf(settings.url)}: ${text}`, 'correct the URL');
  }
}

/** `127.0.0.1: connection refused, ::1: connection refused` */
function reasonsText(addresses: readonly AddressFacts[]): string {
  return addresses.map(({ address, error }) => `${address}: ${error ?? 'connects'}`).join(', ');
}

async function tlsFacts(
  address: string,
  settings: CheckSettings,
  signal?: AbortSignal,
): Promise<TlsFacts> {
  const [usual, newest, older] = await Promise.all([
    shakeHands(address, settings, undefined, signal),
    shakeHands(address, settings, ['TLSv1.3', 'TLSv1.3'], signal),
    shakeHands(address, settings, ['TLSv1.2', 'TLSv1.2'], signal),
  ]);
  if (!isHandshake(usual)) return outdatedTls(address, settings, usual, signal);
  const versions = [newest, older, usual].filter(isHandshake).map(({ version }) => version);
  return { versions: [...new Set(versions)], certificate: certificateFacts(usual, settings) };
}

async function outdatedTls(
  address: string,
  settings: CheckSettings,
  { code, text }: ExplainedError,
  signal?: AbortSignal,
): Promise<TlsFacts> {
  if (code === 'ETIMEDOUT') throw new UnreachableError(settings.url, text, nextStep);
  const outdated = await shakeHands(address, settings, outdatedVersions, signal);
  if (!isHandshake(outdated)) throw new UnreachableError(settings.url, text, nextStep);
  return { versions: [outdated.version] };
}

function refusalOf({ certificate, versions }: TlsFacts): string | undefined {
  if (!certificate)
    return `no event was sent, since the server offers ${versions.join(', ')} alone`;
  return isTrusted(certificate)
    ? undefined
    : 'no event was sent, since the certificate is not trusted';
}

function isTrusted({ untrusted, wrongHost, outOfDate }: CertificateFacts): boolean {
  return (untrusted ?? wrongHost ?? outOfDate) === undefined;
}
