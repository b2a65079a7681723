import { UsageError } from '../../errors.js';
import {
  requestVerifier,
  type RequestToVerify,
  type RequestVerifier,
} from '../request-verifier.js';
import type { Scheme, Secret } from '../schemes/scheme.js';
import { urlWithBodyDigest } from '../twilio.js';
import { bodyVariants } from './body-hypotheses.js';
import type { ChangedRequest, Hypothesis } from './hypothesis.js';
import { secretVariants } from './secret-hypotheses.js';
import { urlVariants } from './url-hypotheses.js';

/**
 * The mistake that makes a request valid, for schemes whose signature is not an HMAC of the body: the
 * whole request is judged again with each change.
 *
 * @param maxBytes bytes of bodies that may be tried
 */
export function mistakeByVerifier(
  scheme: Scheme,
  request: RequestToVerify,
  secret: Secret,
  maxBytes: number,
): Hypothesis | undefined {
  const verifier = verifierOf(scheme, secret);
  if (!verifier) return undefined;
  let left = maxBytes;
  for (const { changed, hypothesis } of requestVariants(scheme, request)) {
    left -= changed.body.length + costOfTrial;
    if (left < 0) return undefined;
    if (verifier.verify(changed, 0).valid) return hypothesis;
  }
  return scheme.special === 'twilio' ? mistakeOfToken(scheme, request, secret) : undefined;
}

/** Undefined for a secret that is not in the form of the scheme: of several, some belong to others. */
function verifierOf(scheme: Scheme, secret: Secret): RequestVerifier | undefined {
  try {
    return requestVerifier({ scheme, secrets: [secret], toleranceMs: null });
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** The fixed cost of a trial, in bytes. */
const costOfTrial = 20_000;

function* requestVariants(scheme: Scheme, request: RequestToVerify): Generator<ChangedRequest> {
  for (const { url, hypothesis } of request.url === undefined ? [] : urlVariants(request.url)) {
    yield { changed: { ...request, url }, hypothesis };
  }
  if (scheme.special === 'twilio') yield* twilioVariants(request);
  for (const { bytes, hypothesis } of bodyVariants(Buffer.from(request.body))) {
    if (hypothesis) yield { changed: { ...request, body: bytes }, hypothesis };
  }
}

function mistakeOfToken(
  scheme: Scheme,
  request: RequestToVerify,
  secret: Secret,
): Hypothesis | undefined {
  const variants = secretVariants(Buffer.from(secret as string), { encoding: 'utf8' });
  for (const { bytes, hypothesis } of variants) {
    if (bytes.length === 0) continue;
    const verifier = requestVerifier({ scheme, secrets: [bytes], toleranceMs: null });
    if (verifier.verify(request, 0).valid) return hypothesis;
  }
  return undefined;
}

const form = ['Content-Type', 'application/x-www-form-urlencoded'];

/** How Twilio may have signed another kind of body than the one that was received. */
function* twilioVariants(request: RequestToVerify): Generator<ChangedRequest> {
  const { headers, url, body } = request;
  if (url === undefined) return;
  yield {
    changed: { ...request, url: urlWithBodyDigest(url, body) },
    hypothesis: {
      fact: 'the signed URL has bodySHA256 in its query',
      step: 'send a form with its Content-Type, or judge by the URL that the sender calls (--url)',
    },
  };
  const others = headers.filter((_, i) => !isContentType(headers[i - (i % 2)]!));
  yield {
    changed: { ...request, headers: [...others, ...form] },
    hypothesis: { fact: 'the body is a form', step: `send it with ${form.join(': ')}` },
  };
  yield {
    changed: { ...request, headers: [...others, ...form], body: Buffer.alloc(0) },
    hypothesis: {
      fact: 'the URL is signed alone',
      step: 'sign the fields of a form behind the URL, or the URL with bodySHA256 in its query',
    },
  };
}

function isContentType(name: string): boolean {
  return name.toLowerCase() === 'content-type';
}
