import type { VerifyReason } from '../../sign/verify-reason.js';
import { Refusal } from '../collect/refusal.js';

const bySecret = 'compare the secret of the source with the one at the sender';
const byClock = 'check the clock of this machine, and whether the sender is late or repeats';
const byHeader = 'see whether the sender, or a proxy on the way, writes the signature in this form';

/** What to do for a reason; the others are about how the signature is written. */
const nextSteps: Readonly<Partial<Record<VerifyReason, string>>> = {
  missing: 'set the secret at the sender, and see that no proxy removes the header',
  mismatch: `${bySecret}, and see that no proxy changes the body`,
  scheme_mismatch: 'these are signed in another scheme; set scheme of the source to it, or to auto',
  expired: byClock,
  future: byClock,
};

const refusals = new Map<VerifyReason | null, Refusal>();

/**
 * Of a request whose signature has to be valid. Only the log has the reason: it would help a forger.
 *
 * @param reason of the verdict; null where there is none
 */
export function notSigned(reason: VerifyReason | null): Refusal {
  const known = refusals.get(reason);
  if (known) return known;
  const nextStep = nextSteps[reason ?? 'missing'] ?? byHeader;
  const refusal = new Refusal(
    401,
    'signature_invalid',
    'the signature of this request is missing or not valid',
    { note: { fields: { reason: reason ?? 'unchecked' }, nextStep } },
  );
  refusals.set(reason, refusal);
  return refusal;
}
