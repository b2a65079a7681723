import { responseFor } from '../planned-response.js';
import type { Faults } from '../fault-plan.js';
import { forwardTimeoutMs, type Forwarder } from '../forward/forwarder.js';
import type { Verification } from '../../receive/verification.js';
import type { RespondRule } from '../../receive/rules/respond-rule.js';
import { dedupe } from './dedupe.js';
import { enforce } from './enforce.js';
import { faulty } from './faulty.js';
import { forward } from './forward.js';
import { respond } from './respond.js';
import { answerWith, type AnswerSoon, type Exchange, type Stage } from './stage.js';
import { tooLargeStage } from './too-large.js';

export interface StageOptions {
  readonly faults: Faults;
  readonly verification: Verification;
  /** Answers 401 to every request whose signature is not valid. */
  readonly isEnforced: boolean;
  /** Recognizes repeats. */
  readonly isDeduped: boolean;
  readonly respond: readonly RespondRule[];
  /** Passes requests on to an app; undefined answers them here. */
  readonly forwarder: Forwarder | undefined;
}

/** What answers a request, in this order. */
export function stages({
  faults,
  verification,
  isEnforced,
  isDeduped,
  respond: rules,
  forwarder,
}: StageOptions): Stage[] {
  return [
    tooLargeStage,
    faulty(faults),
    ...(isEnforced ? [enforce(verification)] : []),
    ...(isDeduped ? [dedupe({ waitMs: forwarder?.timeoutMs ?? forwardTimeoutMs })] : []),
    ...(rules.length > 0 ? [respond(rules)] : []),
    ...(forwarder ? [forward(forwarder)] : []),
  ];
}

/** The answer of the first stage that gives one; else a plain 200. */
export function answer(exchange: Exchange, list: readonly Stage[], from = 0): AnswerSoon {
  const stage = list[from];
  if (!stage) return plain;
  return stage(exchange, () => answer(exchange, list, from + 1));
}

const plain = answerWith(responseFor(undefined));
