import { UsageError } from '../../../errors.js';
import { requestSigner, type SigningSettings } from '../../../sign/request-signer.js';
import type { Secret } from '../../../sign/schemes/scheme.js';
import { secretsCheck } from '../check-value.js';
import type { PlannedSigning } from '../plan.js';
import type { OwnParts } from './own-parts.js';
import { Refusal } from './refusal.js';

/**
 * How the requests of a run are signed: the schemes of the plan, with the secrets of this worker.
 *
 * @throws Refusal that names what is missing or differs, and where it goes
 */
export function completeSigning(
  [first, also]: readonly PlannedSigning[],
  own: OwnParts,
): SigningSettings[] {
  if (!first) return [];
  const signing = [{ scheme: first.scheme, secrets: sharedSecrets(first, own) }];
  if (also) signing.push({ scheme: also.scheme, secrets: alsoSecrets(also, own) });
  for (const one of signing) checkForm(one);
  return signing;
}

/** A check value says little: a wrong secret may have the same one. */
function checkForm(settings: SigningSettings): void {
  try {
    requestSigner(settings, sources);
  } catch (error) {
    if (error instanceof UsageError) throw new Refusal(error.message);
    throw error;
  }
}

const sources = 'EVFWD_SECRET, --secret-file or the profile';

function sharedSecrets(planned: PlannedSigning, { secrets }: OwnParts): readonly Secret[] {
  if (secrets.length === 0) {
    throw new Refusal(
      'needs the shared secret; set EVFWD_SECRET, or use --secret-file or --profile',
    );
  }
  if (isMeant(planned, secrets)) return secrets;
  if (planned.secretCount !== secrets.length) {
    throw new Refusal(
      `needs ${planned.secretCount} shared secrets, newest first, not ${secrets.length}; check ${sources}`,
    );
  }
  throw new Refusal(`its shared secret differs from this worker's; check ${sources}`);
}

/** Those of `--also-secret-file`, or the shared ones, as the planner had them. */
function alsoSecrets(
  planned: PlannedSigning,
  { secrets, alsoSecret }: OwnParts,
): readonly Secret[] {
  const own = [...(alsoSecret === undefined ? [] : [[alsoSecret]]), secrets];
  const found = own.find((one) => isMeant(planned, one));
  if (found) return found;
  const { name } = planned.scheme;
  throw new Refusal(
    alsoSecret === undefined
      ? `needs the secret of --also-scheme ${name}; use --also-secret-file`
      : `its secret of --also-scheme ${name} differs from this worker's; check --also-secret-file`,
  );
}

function isMeant(
  { secretCheck, secretCount }: PlannedSigning,
  secrets: readonly Secret[],
): boolean {
  return secrets.length === secretCount && secretsCheck(secrets) === secretCheck;
}
