import type { SigningSettings } from '../../sign/request-signer.js';
import type { Scheme, SignatureVersion } from '../../sign/schemes/scheme.js';
import { allRefused } from '../acceptance.js';
import type { Check } from '../check.js';
import { checkEvent } from '../events.js';
import type { ProbeRequest } from '../exchange.js';
import {
  draftOf,
  forged,
  otherSecret,
  signedAs,
  signingOf,
  withHeader,
  withSignature,
  type Draft,
} from '../forgery.js';
import type { Prober } from '../prober.js';
import { unlessSigned, versionOf, withoutSecret } from '../scheme-needs.js';

/** What a forged event is, and how it is made of a right one. */
interface Forgery {
  readonly name: string;
  readonly title: string;
  readonly sends: string;
  /** The forged event in a sentence: `an event without a signature`. */
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  readonly notFor?: Check['notFor'];
  /** One function for each request. */
  readonly make: readonly ((draft: Draft) => ProbeRequest)[];
}

const compare =
  'Compare the whole signature with one that you calculate from the raw body, in constant time, and return 401 if they differ.';

const forgeries: readonly Forgery[] = [
  {
    name: 'missing',
    title: 'Refuses an event without a signature',
    sends: 'an event without its signature header',
    what: 'an event without a signature',
    why: 'Otherwise anyone who knows the URL can send events for any user. Some receivers verify only if the header is present (Standard Webhooks, GitHub).',
    fix: 'Return 401 if the signature header is missing, before the body is used.',
    make: [(draft) => withHeader(draft, undefined)],
  },
  {
    name: 'wrong-key',
    title: 'Refuses a signature made with another secret',
    sends: 'an event that is signed with another secret',
    what: 'an event signed with another secret',
    why: 'A signature that is present but never compared protects nothing (Standard Webhooks, GitHub).',
    fix: `${compare} Check that the result of the comparison is used, and awaited if it is a promise.`,
    make: [(draft) => signedAs(draft, withOtherSecret(signingOf(draft.prober)))],
  },
  {
    name: 'tampered',
    title: 'Refuses a body that was changed',
    sends: 'an event with one bit of its body changed after it was signed',
    what: 'an event with a changed body',
    why: 'The signature has to cover the whole body: otherwise amounts and users can be changed in transit (Standard Webhooks, GitHub).',
    fix: 'Calculate the signature over all bytes of the body as received.',
    make: [({ request }) => ({ ...request, body: withBitChanged(request.body) })],
  },
  {
    name: 'swapped',
    title: 'Refuses the signature of another event',
    sends: 'an event with the signature of another body, of the same time and id',
    what: 'an event with the signature of another one',
    why: 'Otherwise one captured signature could be attached to any other event (Standard Webhooks, GitHub).',
    fix: compare,
    make: [withSwappedSignature],
  },
  {
    name: 'empty',
    title: 'Refuses an empty signature',
    sends: 'an event whose signature header has an empty value',
    what: 'an event with an empty signature',
    why: 'An empty string is easily taken for "nothing to verify", and every signature starts with it (Standard Webhooks, GitHub).',
    fix: 'Treat an empty signature header like a missing one: return 401.',
    make: [(draft) => withHeader(draft, '')],
  },
  {
    name: 'cut',
    title: 'Refuses a truncated signature',
    sends: 'two events: a signature without its last character, and the first half of one',
    what: 'an event with a truncated signature',
    why: 'A comparison up to the shorter length accepts short signatures, which can be guessed (Standard Webhooks, GitHub).',
    fix: 'Compare the lengths first, then all bytes in constant time. Never compare with startsWith, or up to the shorter length.',
    make: [
      (draft) => withSignature(draft, (signature) => withoutPadding(signature).slice(0, -1)),
      (draft) => withSignature(draft, (signature) => signature.slice(0, signature.length >> 1)),
    ],
  },
  {
    name: 'other-digest',
    title: 'Refuses a signature made with another digest',
    sends: 'an event signed with SHA-256 in place of SHA-1, or SHA-1 in place of a longer one',
    what: 'an event signed with another digest',
    why: 'A receiver that lets the sender choose the digest can be talked into a weaker one (Standard Webhooks, GitHub).',
    fix: 'Verify only with the digest of the scheme. Do not take the digest from the request, and do not try others.',
    notFor: unlessSigned((signing) =>
      versionOf(signing).digest === 'ed25519' ? 'ed25519 has no other digest' : undefined,
    ),
    make: [(draft) => signedAs(draft, withOtherDigest(signingOf(draft.prober)))],
  },
];

export const signChecks: readonly Check[] = forgeries.map(checkOf);

function checkOf({ name, what, make, notFor = withoutSecret, ...texts }: Forgery): Check {
  return {
    ...texts,
    id: `sign.${name}`,
    level: 'must',
    stage: 'beside',
    requests: make.length,
    passes: '400, 401 or 403',
    recipe: 'verify',
    notFor,
    judge: async (prober) => {
      const exchanges = [];
      for (const one of make) exchanges.push(await prober.send(forge(prober, one)));
      return allRefused(exchanges, what);
    },
  };
}

function forge(prober: Prober, make: (draft: Draft) => ProbeRequest): ProbeRequest {
  const draft = draftOf(prober);
  return forged(draft, make(draft));
}

/** The newest secret replaced by one that the endpoint does not know. */
function withOtherSecret(signing: SigningSettings): SigningSettings {
  return { scheme: signing.scheme, secrets: [otherSecret(signing)] };
}

/** The body ends with a text and braces: its last letter becomes another one, and it stays JSON. */
function withBitChanged(body: Buffer): Buffer {
  const changed = Buffer.from(body);
  changed[changed.lastIndexOf('"') - 1]! ^= 1;
  return changed;
}

/** The headers are those of another body; the URL stays, since `twilio` has a digest of the body in it. */
function withSwappedSignature({ prober, event, nowMs, request }: Draft): ProbeRequest {
  const { messageId } = event;
  const other = checkEvent('track', messageId, nowMs, { properties: { total: 13 } });
  return { ...request, headers: prober.request(other, { nowMs }).headers };
}

/** Padding carries no data: lenient decoders accept Base64 without it, and are right to. */
function withoutPadding(signature: string): string {
  return signature.replace(/=+$/, '');
}

function withOtherDigest({ scheme, secrets }: SigningSettings): SigningSettings {
  const versions = scheme.versions.map((version): SignatureVersion => {
    if (version.digest === 'ed25519') return version;
    return { ...version, digest: version.digest === 'sha1' ? 'sha256' : 'sha1' };
  });
  const changed: Scheme = { ...scheme, versions };
  return { scheme: changed, secrets: secrets.slice(0, 1) };
}
