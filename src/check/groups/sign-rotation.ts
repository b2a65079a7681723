import type { SigningSettings } from '../../sign/request-signer.js';
import { allAccepted } from '../acceptance.js';
import type { Check } from '../check.js';
import { signingOf } from '../forgery.js';
import { unlessSigned } from '../scheme-needs.js';

export const rotationCheck: Check = {
  id: 'sign.rotation',
  level: 'should',
  stage: 'parallel',
  title: 'Accepts the old and the new secret',
  sends:
    'a valid event signed with each secret alone and, where the scheme carries several signatures, one with both',
  requests: ({ signing }) => (signing ? waysToSign(signing).length : 0),
  passes: '2xx each',
  why: 'While a secret is replaced, requests signed with either are in flight; a receiver that knows only one loses events (Standard Webhooks: rotation without downtime).',
  fix: 'Keep a list of secrets, and accept a request whose signature matches any of them. Remove the old one when the sender has stopped using it.',
  skipIf: unlessSigned(({ secrets }) =>
    secrets.length < 2 ? 'there is one secret; pass the new and the old one' : undefined,
  ),
  evaluate: async (prober) => {
    const exchanges = [];
    for (const signing of waysToSign(signingOf(prober))) {
      exchanges.push(await prober.sendEvent(prober.event(), { signing }));
    }
    return allAccepted(exchanges, 'an event signed with one of the secrets');
  },
};

/** Each secret alone, the oldest first, then as many together as the headers carry. */
function waysToSign({ scheme, secrets }: SigningSettings): SigningSettings[] {
  const alone = secrets.toReversed().map((secret) => ({ scheme, secrets: [secret] }));
  if (scheme.separator !== undefined) return [...alone, { scheme, secrets }];
  if (scheme.secondHeader === undefined) return alone;
  return [...alone, { scheme, secrets: secrets.slice(0, 2) }];
}
