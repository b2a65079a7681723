import { type Check, failed, passed, inconclusive, type CheckResult } from '../check.js';
import { daysText } from '../connection/certificate.js';
import type { CertificateFacts } from '../connection/facts.js';
import type { Session } from '../session.js';
import type { CheckSettings } from '../settings.js';
import { Agent } from 'node:http';
import { described, isSuccess, type Exchange, type ProbeRequest } from '../exchange.js';
import type { Prober } from '../prober.js';

const whyTrust =
  'Senders verify certificates and send nothing if that fails (GitHub: "SSL verification enabled").';

/** What the checks of the connection share. */
const ofConnection = {
  stage: 'connect',
  sends: 'a TLS handshake, and nothing over it',
  requests: 0,
  snippet: 'https',
  skipIf: ({ url }: CheckSettings) => (url.protocol === 'http:' ? 'the URL is http' : undefined),
} as const;

/** Whether a sender can trust the certificate of the endpoint, and its protocol. */
export const tlsChecks: readonly Check[] = [
  chain(),
  host(),
  expired(),
  expiry(),
  version(),
  tlsRequired(),
];

function chain(): Check {
  return {
    ...ofConnection,
    id: 'tls.chain',
    level: 'must',
    title: 'Has a certificate from a trusted authority',
    passes: 'the chain leads to a root that Node.js or --ca trusts',
    why: `${whyTrust} Browsers hide a missing intermediate certificate: they fetch or cache it.`,
    fix: 'Configure the server to send the whole chain (fullchain.pem, not cert.pem). If the authority is your own, pass its certificate with --ca, and give it to every sender.',
    evaluate: evaluateCertificate(
      ({ untrusted }) => untrusted,
      'the chain leads to a trusted root',
    ),
  };
}

function host(): Check {
  return {
    ...ofConnection,
    id: 'tls.host',
    level: 'must',
    title: 'Has a certificate for its host name',
    passes: 'the host of the URL is among the names of the certificate',
    why: whyTrust,
    fix: 'Get a certificate for this host name, or register the URL with a name that the certificate has.',
    evaluate: evaluateCertificate(({ wrongHost }) => wrongHost, 'the certificate is for this host'),
  };
}

function expired(): Check {
  return {
    ...ofConnection,
    id: 'tls.expired',
    level: 'must',
    title: 'Has a certificate that has not expired',
    passes: 'today is within the validity period of the certificate',
    why: whyTrust,
    fix: 'Renew the certificate, reload the server, and automate both.',
    evaluate: evaluateCertificate(({ outOfDate }) => outOfDate, 'the certificate has not expired'),
  };
}

/** Renewals begin 30 days before the end; with less left, one has failed already. */
const minLeftMs = 14 * 86_400_000;

function expiry(): Check {
  return {
    ...ofConnection,
    id: 'tls.expiry',
    level: 'should',
    title: 'Has a certificate that is valid for two more weeks',
    passes: 'at least 14 days are left',
    why: 'Certificates are usually renewed 30 days before they end: with less than 14 days left, the renewal may have failed.',
    fix: 'Run the renewal by hand, read its log, and reload the server afterwards.',
    evaluate: ({ session }) =>
      Promise.resolve(
        withCertificate(session, ({ validTo }) => evaluateExpiry(validTo - Date.now())),
      ),
  };
}

function evaluateExpiry(leftMs: number): CheckResult {
  if (leftMs <= 0) return failed('the certificate has expired');
  const left = `the certificate is valid for ${daysText(leftMs)} more`;
  return leftMs < minLeftMs ? failed(`${left}, expected at least 14`) : passed(left);
}

function version(): Check {
  return {
    ...ofConnection,
    id: 'tls.version',
    level: 'should',
    title: 'Offers TLS 1.2 or 1.3',
    passes: 'TLS 1.2 or TLS 1.3',
    why: 'TLS 1.0 and 1.1 are deprecated (RFC 8996), and senders no longer offer them: Stripe requires 1.2 or newer.',
    fix: 'Enable TLS 1.2 and 1.3 in the server or load balancer, and disable older versions.',
    evaluate: ({ session }) => Promise.resolve(evaluateVersions(session.facts.tls?.versions ?? [])),
  };
}

function evaluateVersions(versions: readonly string[]): CheckResult {
  const names = versions.map((name) => name.replace(/^TLSv1$/, 'TLSv1.0').replace('TLSv', 'TLS '));
  if (names.length === 0) return inconclusive('no TLS connection was opened');
  const isModern = versions.some((name) => name === 'TLSv1.2' || name === 'TLSv1.3');
  if (isModern) return passed(names.join(' and '));
  return failed(`the server offers ${names.join(' and ')} only, expected TLS 1.2 or 1.3`);
}

type Fault = (certificate: CertificateFacts) => string | undefined;

function evaluateCertificate(faultOf: Fault, right: string): Check['evaluate'] {
  return ({ session }) =>
    Promise.resolve(
      withCertificate(session, (certificate) => {
        const fault = faultOf(certificate);
        return fault === undefined ? passed(right) : failed(fault);
      }),
    );
}

function withCertificate(
  { facts }: Session,
  evaluate: (certificate: CertificateFacts) => CheckResult,
): CheckResult {
  const { certificate } = facts.tls ?? {};
  return certificate
    ? evaluate(certificate)
    : inconclusive(facts.refusal ?? 'no TLS connection was opened');
}

/** Firewalls often say nothing at all on port 80. */
const limitMs = 5_000;

/** Whether events that come without TLS are accepted as well. */
function tlsRequired(): Check {
  return {
    id: 'tls.required',
    level: 'should',
    stage: 'parallel',
    title: 'Accepts events over TLS only',
    sends:
      'a valid event over plain HTTP to the same host: to the port of the URL, else to port 80',
    requests: 1,
    passes: 'anything but 2xx: a redirect, an error, or no response',
    why: 'Events sent over plain HTTP can be read and changed in transit (CloudEvents HTTP webhooks 2.1: HTTPS is required).',
    fix: 'Let port 80 redirect to HTTPS or refuse, and never pass its requests to your code.',
    snippet: 'https-only',
    skipIf: ({ url }) => (url.protocol === 'http:' ? 'the URL is http' : undefined),
    evaluate: async (prober) => {
      const agent = new Agent({ keepAlive: false });
      try {
        const request = plainRequest(prober);
        return evaluatePlain(
          await prober.send(request, { agent, timeoutMs: limitMs }),
          request.url,
        );
      } finally {
        agent.destroy();
      }
    },
  };
}

/** Without the static headers: anyone on the way could read the credentials in them. */
function plainRequest(prober: Prober): ProbeRequest {
  const { url, headers } = prober.settings;
  const plain = `http:${url.href.slice(url.protocol.length)}`;
  const request = prober.request(prober.event(), { url: plain });
  const secret = new Set(headers.map(([name]) => name.toLowerCase()));
  return {
    ...request,
    headers: request.headers.filter(([name]) => !secret.has(name.toLowerCase())),
  };
}

function evaluatePlain(exchange: Exchange, url: string): CheckResult {
  const where = `plain HTTP on port ${new URL(url).port || '80'}`;
  if (isSuccess(exchange)) {
    return failed(`an event over ${where} was accepted: ${described(exchange)}`, exchange);
  }
  return passed(`${where}: ${described(exchange)}`, exchange);
}
