import type { SigningSettings } from '../../sign/request-signer.js';
import type { Scheme, SignatureVersion } from '../../sign/schemes/scheme.js';
import { allRefused, refusals } from '../acceptance.js';
import type { Check, CheckResult } from '../check.js';
import { formType } from '../events.js';
import { withType, type ProbeRequest } from '../exchange.js';
import { flips, withLetterChanged, type Part } from '../tamper.js';
import {
  otherSecret,
  sendForged,
  signedAs,
  signingOf,
  withHeader,
  withSignature,
  type Draft,
} from '../forgery.js';
import type { Prober } from '../prober.js';
import type { EventKind } from '../senders/sender.js';
import { isBare, unlessSigned, versionOf, withoutSecret } from '../scheme-needs.js';

/** What a forged event is, and how it is made of a right one. */
interface Forgery {
  readonly name: string;
  readonly title: string;
  readonly sends: string;
  /** The forged event in a sentence: `an event without a signature`. */
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  /** Whether some receivers do it for one kind of event alone. */
  readonly isOfEachKind?: true;
  /** Default: must. */
  readonly level?: Check['level'];
  readonly skipIf?: Check['skipIf'];
  /** Statuses that refuse it besides 400, 401 and 403. */
  readonly refusedBy?: readonly number[];
  /** One function for each request; the first is used for each other kind of event, too, if `isOfEachKind`. */
  readonly make: (signing: SigningSettings) => readonly ((draft: Draft) => ProbeRequest)[];
}

const compare =
  'Compare the whole signature with one that you calculate from the raw body, in constant time, and return 401 if they differ.';

const forgeries: readonly Forgery[] = [
  {
    name: 'missing',
    title: 'Refuses an event without a signature',
    isOfEachKind: true,
    sends:
      'two events without their signature header, one of them as from another client, and one of each other kind that is accepted',
    what: 'an event without a signature',
    why: 'Otherwise anyone who knows the URL can send any event. Some receivers verify only if the header is present (Standard Webhooks, GitHub).',
    fix: 'Return 401 if the signature header is missing, before the body is used.',
    make: () => [
      (draft) => withHeader(draft, undefined),
      (draft) => withAgent(withHeader(draft, undefined)),
    ],
  },
  {
    name: 'wrong-key',
    title: 'Refuses a signature made with another secret',
    isOfEachKind: true,
    sends: 'an event of each kind that is accepted, signed with another secret',
    what: 'an event signed with another secret',
    why: 'A signature that is present but never compared protects nothing (Standard Webhooks, GitHub).',
    fix: `${compare} Check that the result of the comparison is used, and awaited if it is a promise.`,
    make: () => [withWrongKey],
  },
  {
    name: 'tampered',
    title: 'Refuses a body that was changed',
    sends:
      'events with one bit of the body changed after it was signed: of each kind that is accepted, in a usual body, and at the start, in the middle and at the end of one of 20 KB, where the sender has such bodies',
    what: 'an event with a changed body',
    why: 'The signature has to cover the whole body: otherwise amounts and users can be changed in transit (Standard Webhooks, GitHub).',
    fix: 'Calculate the signature over all bytes of the body as received.',
    isOfEachKind: true,
    refusedBy: [413],
    make: () => [
      ({ event, request }) => ({ ...request, body: withLetterChanged(event, 'end') }),
      (draft) => withLargeBodyChanged(draft, 'start'),
      (draft) => withLargeBodyChanged(draft, 'middle'),
      (draft) => withLargeBodyChanged(draft, 'end'),
    ],
  },
  {
    name: 'swapped',
    title: 'Refuses the signature of another event',
    sends: 'an event with the signature of another body, of the same time and id',
    what: 'an event with the signature of another one',
    why: 'Otherwise one captured signature could be attached to any other event (Standard Webhooks, GitHub).',
    fix: compare,
    make: () => [withSwappedSignature],
  },
  {
    name: 'empty',
    title: 'Refuses an empty signature',
    sends:
      'an event whose signature header has an empty value; where the scheme writes more into it, also one with that alone',
    what: 'an event with an empty signature',
    why: 'An empty string is easily taken for "nothing to verify", and every signature starts with it (Standard Webhooks, GitHub).',
    fix: 'Treat an empty signature header like a missing one: return 401.',
    make: (signing) => [
      (draft) => withHeader(draft, ''),
      ...(isBare(signing) ? [] : [(draft: Draft) => withSignature(draft, () => '')]),
    ],
  },
  {
    name: 'cut',
    title: 'Refuses a truncated signature',
    sends: 'two events: a signature without its last character, and the first half of one',
    what: 'an event with a truncated signature',
    why: 'A comparison up to the shorter length accepts short signatures, which can be guessed (Standard Webhooks, GitHub).',
    fix: 'Compare the lengths first, then all bytes in constant time. Never compare with startsWith, or up to the shorter length.',
    make: () => [
      (draft) => withSignature(draft, (signature) => withoutPadding(signature).slice(0, -1)),
      (draft) => withSignature(draft, (signature) => signature.slice(0, signature.length >> 1)),
    ],
  },
  {
    name: 'flipped',
    title: 'Refuses a signature with one wrong character',
    sends:
      'three events whose signature has one character changed: at the start, in the middle and at the end',
    what: 'an event whose signature has one wrong character',
    why: 'A comparison of some of the characters leaves few to be guessed (Standard Webhooks, GitHub).',
    fix: compare,
    make: (signing) =>
      flips(versionOf(signing).encoding).map((flip) => (draft) => withSignature(draft, flip)),
  },
  {
    name: 'other-digest',
    title: 'Refuses a signature made with another digest',
    sends: 'an event signed with SHA-256 in place of SHA-1, or SHA-1 in place of a longer one',
    what: 'an event signed with another digest',
    why: 'A receiver that lets the sender choose the digest can be talked into a weaker one (Standard Webhooks, GitHub).',
    fix: 'Verify only with the digest of the scheme. Do not take the digest from the request, and do not try others.',
    skipIf: unlessSigned((signing) =>
      versionOf(signing).digest === 'ed25519' ? 'ed25519 has no other digest' : undefined,
    ),
    make: () => [(draft) => signedAs(draft, withOtherDigest(signingOf(draft.prober)))],
  },
  {
    name: 'content-type',
    title: 'Verifies every Content-Type',
    sends:
      'three events that are signed with another secret: as text/plain, as a form (of forms, as JSON), and without a Content-Type',
    what: 'a forged event with another Content-Type',
    why: 'A body parser that verifies only JSON lets everything else pass, and anyone can choose the type (in Express: express.urlencoded or express.text beside express.json with a verify function).',
    fix: 'Verify the raw body before any parser, whatever its type, or return 415 for each type but JSON.',
    refusedBy: [415, 422],
    make: () => [
      (draft) => withType(withWrongKey(draft), 'text/plain'),
      (draft) => withWrongKey(inOtherForm(draft)),
      (draft) => withType(withWrongKey(draft), undefined),
    ],
  },
  {
    name: 'empty-body',
    title: 'Refuses an empty body without a signature',
    sends: 'a request without a body and without a signature header',
    what: 'an empty body without a signature',
    why: 'A receiver that skips the verification of an empty body can be made to do whatever it does for one.',
    fix: 'Return 401 if the signature header is missing, before you look at the body.',
    refusedBy: [411, 415, 422],
    make: () => [(draft) => ({ ...withHeader(draft, undefined), body: Buffer.alloc(0) })],
  },
  {
    name: 'method',
    level: 'should',
    title: 'Verifies other methods than POST, too',
    sends: 'PUT with an event that is signed with another secret',
    what: 'a forged event sent with PUT',
    why: 'A route for all methods with a verification of POST alone takes forged events with any other method.',
    fix: 'Route only POST to your code: most frameworks then return 405 for other methods.',
    refusedBy: [404, 405, 501],
    make: () => [(draft) => ({ ...withWrongKey(draft), method: 'PUT' })],
  },
];

export const signChecks: readonly Check[] = forgeries.map(checkOf);

function checkOf(forgery: Forgery): Check {
  const {
    name,
    make,
    level = 'must',
    refusedBy = [],
    skipIf = withoutSecret,
    isOfEachKind = false,
    ...texts
  } = forgery;
  const statuses = [...new Set([...refusals, ...refusedBy])];
  return {
    ...texts,
    skipIf,
    id: `sign.${name}`,
    level,
    stage: 'parallel',
    requests: ({ signing, sender }) => {
      const others = isOfEachKind ? sender.kinds.length - 1 : 0;
      return signing ? make(signing).length + others : 0;
    },
    passes: `${statuses.slice(0, -1).join(', ')} or ${statuses.at(-1)}`,
    cause: 'verification',
    evaluate: async (prober) => {
      const changes = make(signingOf(prober));
      const ofUsual = await evaluateForged(
        prober,
        changes.map((change) => ({ change })),
        forgery,
      );
      if (!isOfEachKind || ofUsual.outcome !== 'passed') return ofUsual;
      const others = acceptedKinds(prober).map((kind) => ({ kind, change: changes[0]! }));
      return others.length === 0 ? ofUsual : evaluateForged(prober, others, forgery);
    },
  };
}

interface ForgedEvent {
  /** Default: the usual one. */
  readonly kind?: EventKind;
  readonly change: (draft: Draft) => ProbeRequest;
}

/** At once: one that is never answered takes a while. */
async function evaluateForged(
  prober: Prober,
  events: readonly ForgedEvent[],
  { what, refusedBy }: Forgery,
): Promise<CheckResult> {
  const sending = events.map(({ kind, change }) =>
    sendForged(prober, prober.event(kind && { kind }), change),
  );
  const ends = await Promise.allSettled(sending);
  const result = allRefused(
    ends.flatMap((end) => (end.status === 'fulfilled' ? end.value : [])),
    what,
    refusedBy,
  );
  // An accepted one is enough, even if the run ended before the others.
  if (result.outcome !== 'failed') await Promise.all(sending);
  return result;
}

/** The other kinds that the endpoint has accepted: of one that it refuses, a refusal proves nothing. */
function acceptedKinds({ session, settings: { sender } }: Prober): EventKind[] {
  return sender.kinds.filter(
    (kind) => kind.name !== sender.usual.name && session.hasAccepted(kind),
  );
}

function withWrongKey(draft: Draft): ProbeRequest {
  return signedAs(draft, withOtherSecret(signingOf(draft.prober)));
}

/** As from a client that a receiver may trust less, or does not know. */
function withAgent(request: ProbeRequest): ProbeRequest {
  const headers = request.headers.map(([name, value]): [string, string] =>
    name.toLowerCase() === 'user-agent' ? [name, 'curl/8.5.0'] : [name, value],
  );
  return { ...request, headers };
}

/** The members of an event as fields of a form, and the whole event in one, as some senders have it; the fields of a form as JSON. */
function inOtherForm(draft: Draft): Draft {
  const { event } = draft;
  const text = event.body.toString();
  if (event.contentType === formType) {
    const json = JSON.stringify(Object.fromEntries(new URLSearchParams(text)));
    return {
      ...draft,
      event: { ...event, body: Buffer.from(json), contentType: 'application/json' },
    };
  }
  const members = Object.entries(JSON.parse(text) as object);
  const fields = members.filter(([, value]) => typeof value === 'string');
  const form = new URLSearchParams([...fields, ['payload', text]]).toString();
  return { ...draft, event: { ...event, body: Buffer.from(form), contentType: formType } };
}

/** The newest secret replaced by one that the endpoint does not know. */
function withOtherSecret(signing: SigningSettings): SigningSettings {
  return { scheme: signing.scheme, secrets: [otherSecret(signing)] };
}

/** A body of 20 KB of the same id and time, rightly signed, with a letter of this part changed. */
function withLargeBodyChanged({ prober, event, nowMs }: Draft, part: Part): ProbeRequest {
  const content = JSON.stringify({ text: 'evfwd check '.repeat(1_650) });
  const large = prober.variant(event, { nowMs, content });
  const request = prober.request(large, { nowMs });
  return { ...request, body: withLetterChanged(large, part) };
}

/** The headers are those of another body; the URL stays, since `twilio` has a digest of the body in it. */
function withSwappedSignature({ prober, event, nowMs, request }: Draft): ProbeRequest {
  const other = { ...event, body: withLetterChanged(event, 'end') };
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
