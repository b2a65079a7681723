import { isRefusal } from './acceptance.js';
import { failed, inconclusive, notApplicable, type Check, type CheckResult } from './check.js';
import { disagreement } from './disagreement.js';
import { described, isSuccess, type Exchange } from './exchange.js';
import { Prober } from './prober.js';
import type { Revision } from './run-results.js';
import { isFormKind } from './senders/sender.js';
import { SessionEnded, unlessAborted } from './session-ended.js';
import type { Session } from './session.js';

type Found = readonly (readonly [Check, CheckResult])[];

/** Another valid event, to see whether the endpoint still accepts one; undefined if the run has ended. */
export async function sendAgain(session: Session): Promise<Exchange | undefined> {
  try {
    return await new Prober(session, 'again').sendValid();
  } catch (error) {
    if (error instanceof SessionEnded) return undefined;
    throw error;
  }
}

/**
 * What the refusal of one kind of event means: many receivers have one URL for JSON and another one for forms,
 * so a kind of the other type is not for this URL.
 */
export function revisedTypes(found: Found, session: Session): Revision {
  const { kinds } = session.settings.sender;
  const accepted = kinds.filter((kind) => session.hasAccepted(kind));
  return found.flatMap(([check, { outcome, evidence }]) => {
    const kind = kinds.find(({ name }) => check.id === `accept.${name}`);
    const status = evidence?.response?.status ?? 0;
    if (!kind || outcome !== 'failed' || status < 400 || status > 499) return [];
    if (accepted.length === 0 || accepted.some((one) => isFormKind(one) === isFormKind(kind)))
      return [];
    const what = isFormKind(kind) ? 'forms' : 'JSON';
    return [[check, notApplicable(`this URL takes no ${what}: ${described(evidence!)}`)] as const];
  });
}

/**
 * What the refusal of forged events means, found out with a valid event: nothing, if that is refused as well,
 * after too many forged ones, for example.
 */
export async function revisedForgeries(
  forging: readonly Check[],
  session: Session,
): Promise<Revision> {
  const again = await sendAgain(session);
  if (!again || isSuccess(again)) return [];
  const refusesAll = inconclusive(
    'a valid event that was sent afterwards was refused, too, so the refusals prove nothing',
  );
  return forging.map((check) => [check, refusesAll] as const);
}

/** Why an endpoint refuses every valid event. */
export interface RefusesAll {
  /** What is left open of `accept.*`, in a sentence. */
  readonly reason: string;
  /** Undefined if the session ended before that was found out. */
  readonly endedEarly?: string;
  /** Set if the endpoint verifies another body than the one that was sent. */
  readonly rawBytes?: CheckResult;
}

/**
 * What the refusal of all valid events means: no failure of the endpoint, since sender and endpoint disagree. Only
 * verifying another body than was sent is its fault. Undefined if it refuses the events for what they are, or not
 * all of them.
 */
export async function whyAllRefused(session: Session): Promise<RefusesAll | undefined> {
  const sent = session.exchanges.filter(({ request }) => request.isValid);
  const [first] = sent;
  if (!first || !sent.every(isRefusal)) return undefined;
  try {
    const found = await unlessAborted(disagreement(session, first), session.signal);
    if (!found) return undefined;
    const { reason, serializesAgain } = found;
    return {
      reason,
      endedEarly: reason,
      ...(serializesAgain && { rawBytes: failed(reason, first) }),
    };
  } catch (error) {
    if (!(error instanceof SessionEnded)) throw error;
    return { reason: `every valid event was refused: ${described(first)}` };
  }
}

/** When all valid events were refused, `accept.*` says nothing. */
export function revisedAcceptance(found: Found, reason: string): Revision {
  const open = found.filter(
    ([{ stage }, { outcome }]) => stage === 'accept' && outcome !== 'passed',
  );
  return open.map(([check]) => [check, inconclusive(reason)] as const);
}
