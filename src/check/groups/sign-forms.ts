import { type Check, passed, inconclusive } from '../check.js';
import { described, isSuccess } from '../exchange.js';
import { sendForged, withSignature, type Draft } from '../forgery.js';
import { isBare, unlessSigned, versionOf } from '../scheme-needs.js';

/** Other ways to write a right signature, which receivers may accept or not. */
interface Form {
  readonly name: string;
  readonly title: string;
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  readonly skipIf: NonNullable<Check['skipIf']>;
  readonly write: (signature: string) => string;
}

const forms: readonly Form[] = [
  {
    name: 'case',
    title: 'Whether a signature in uppercase is accepted',
    what: 'a valid signature in uppercase hex',
    why: 'No sender writes it this way; accepting and refusing it are both safe. It shows how a receiver compares.',
    fix: 'Nothing to fix. A strict receiver compares the bytes of the exact lowercase form.',
    skipIf: unlessSigned((signing) =>
      versionOf(signing).encoding === 'hex'
        ? undefined
        : `a signature of ${signing.scheme.name} is Base64, where uppercase is another signature`,
    ),
    write: (signature) => signature.toUpperCase(),
  },
  {
    name: 'prefix',
    title: 'Whether a signature with a sha1= prefix is accepted',
    what: 'a valid signature prefixed with sha1=',
    why: 'Some senders write the digest before the signature. Accepting and refusing it are both safe as long as the digest is fixed.',
    fix: 'Nothing to fix. If you strip a prefix, do not choose the digest by it.',
    skipIf: unlessSigned((signing) => {
      if (versionOf(signing).digest === 'ed25519') return 'a signature of ed25519 has no prefix';
      if (isBare(signing)) return undefined;
      return `${signing.scheme.name} writes a text of its own before the signature`;
    }),
    write: (signature) => `sha1=${signature}`,
  },
];

export const formChecks: readonly Check[] = forms.map(checkOf);

function checkOf({ name, title, what, why, fix, skipIf, write }: Form): Check {
  return {
    id: `sign.${name}`,
    level: 'info',
    stage: 'parallel',
    title,
    sends: `an event with ${what}`,
    requests: 1,
    passes: 'always; the response is reported',
    why,
    fix,
    skipIf,
    evaluate: async (prober) => {
      const change = (draft: Draft) => withSignature(draft, write);
      const exchange = await sendForged(prober, prober.event(), change);
      if (!exchange.response) return inconclusive(`${what}: ${described(exchange)}`, exchange);
      const end = isSuccess(exchange) ? 'is accepted' : 'is not accepted';
      return passed(`${what} ${end}: ${described(exchange)}`, exchange);
    },
  };
}
