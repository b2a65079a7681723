import type { PlannedResponse } from '../planned-response.js';
import type { IncomingRequest } from '../../receive/incoming-request.js';
import type { RespondRule } from '../../receive/rules/respond-rule.js';
import { answerWith, type Stage } from './stage.js';

/** Answers as the first rule whose path fits says. */
export function respond(rules: readonly RespondRule[]): Stage {
  return ({ incoming }, next) => {
    const rule = rules.find(({ isFor }) => isFor(incoming.path));
    return rule ? answerWith(responseOf(rule, incoming)) : next();
  };
}

function responseOf(
  { status, type, body }: RespondRule,
  incoming: IncomingRequest,
): PlannedResponse {
  const bytes = Buffer.isBuffer(body) ? body : body(incoming);
  const headers = bytes.length === 0 ? [] : [['Content-Type', type] as const];
  const content = { by: 'respond', headers, body: bytes, isWhole: true } as const;
  return { status, delayMs: 0, kind: 'whole', slowMs: 0, content };
}
