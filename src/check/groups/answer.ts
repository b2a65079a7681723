import { type Check, failed, passed, inconclusive, type CheckResult } from '../check.js';
import { described, isSuccess, type BodyEnd, type Exchange, headerOf } from '../exchange.js';
import type { Prober } from '../prober.js';
import type { Session } from '../session.js';
import { msText, percentile, countText } from '../statistics.js';

const deadlineId = 'answer.deadline';
/** One by one. */
const events = 20;

/** How fast, and with what, the endpoint answers valid events. */
export const answerChecks: readonly Check[] = [deadline(), quick(), status(), small()];

function deadline(): Check {
  return {
    id: deadlineId,
    level: 'must',
    stage: 'parallel',
    title: 'Responds before a sender gives up',
    sends: `${events} valid events, one by one; every other valid event of the run counts as well`,
    requests: events,
    passes: 'every status line arrives within the deadline (5 s, or --deadline)',
    why: 'After the deadline a sender counts the event as failed and sends it again, so slow work is done twice (GitHub: respond within 10 seconds; Slack: 3).',
    fix: 'Verify the signature, put the event into a queue or a table, return 2xx, and do the work afterwards.',
    cause: 'slow work',
    send: sendOneByOne,
    evaluate: ({ session }) => Promise.resolve(evaluateDeadline(session)),
  };
}

async function sendOneByOne(prober: Prober): Promise<void> {
  const { deadlineMs } = prober.settings;
  for (let sent = 0; sent < events; sent++) {
    // A limiter leaves no room for events of which there are others, which count as well.
    if (prober.session.limit.isSeen) return;
    const exchange = await prober.sendValid();
    if (isLate(exchange, deadlineMs)) return;
  }
}

function evaluateDeadline({ exchanges, settings }: Session): CheckResult {
  const timed = exchanges.filter(isTimed);
  const limit = `expected < ${msText(settings.deadlineMs)}`;
  const late = timed.filter((exchange) => isLate(exchange, settings.deadlineMs));
  const [first] = late.toSorted((one, other) => other.durationMs - one.durationMs);
  if (first) {
    const count = `${late.length} of ${countText(timed.length, 'event')} late`;
    return failed(`${timeText(first)}, ${limit} (${count})`, first);
  }
  const slowest = slowestOf(timed);
  return slowest
    ? passed(
        `slowest of ${countText(timed.length, 'event')} ${msText(slowest.durationMs)}`,
        slowest,
      )
    : inconclusive('no valid event had a response');
}

function timeText({ response, durationMs }: Exchange): string {
  return response
    ? `HTTP ${response.status} after ${msText(durationMs)}`
    : `no response within ${msText(durationMs)}`;
}

function slowestOf(timed: readonly Exchange[]): Exchange | undefined {
  return timed.toSorted((one, other) => other.durationMs - one.durationMs)[0];
}

/** A valid event with a response, or one that was waited for in vain. The client itself delays some bodies. */
function isTimed({ request, response, errorCode }: Exchange): boolean {
  const { isValid, transfer = 'plain' } = request;
  const isAtOnce = transfer === 'plain' || transfer === 'chunked';
  return isValid && isAtOnce && (response !== undefined || errorCode === 'ETIMEDOUT');
}

function isLate({ durationMs, errorCode }: Exchange, deadlineMs: number): boolean {
  return durationMs >= deadlineMs || errorCode === 'ETIMEDOUT';
}

const quickMs = 1_000;

function quick(): Check {
  return {
    id: 'answer.quick',
    level: 'should',
    stage: 'observe',
    title: 'Responds within a second',
    sends: 'no request; reads the events that were sent one by one',
    requests: 0,
    passes: '95% of the status lines arrive in less than 1 s',
    why: 'Vendors advise acknowledging first and working afterwards: an endpoint that works first is the first to time out on a busy day.',
    fix: 'Put the event into a queue or a table, return 2xx, and do the work afterwards.',
    cause: 'slow work',
    evaluate: ({ session }) => Promise.resolve(evaluateQuick(session.exchanges.filter(isOneByOne))),
  };
}

function isOneByOne(exchange: Exchange): boolean {
  const { checkId } = exchange;
  const isRefused = checkId.startsWith('accept.') && !isSuccess(exchange);
  return (
    isTimed(exchange) && !isRefused && (checkId === deadlineId || checkId.startsWith('accept.'))
  );
}

function evaluateQuick(timed: readonly Exchange[]): CheckResult {
  if (timed.length === 0) return inconclusive('no valid event had a response');
  const p95 = percentile(
    timed.map(({ durationMs }) => durationMs),
    95,
  );
  const found = `p95 ${msText(p95)} of ${countText(timed.length, 'event')}`;
  if (p95 < quickMs) return passed(found);
  return failed(`${found}, expected < 1 s`, slowestOf(timed));
}

function status(): Check {
  return {
    id: 'answer.status',
    level: 'info',
    stage: 'observe',
    title: 'Responds with a status that fits the response',
    sends: 'no request; reads the responses to valid events',
    requests: 0,
    passes: '200 with a body, 201, 202 or 204; a body has a Content-Type',
    why: 'CloudEvents HTTP webhooks 2.2: 200 or 201 with a body and its Content-Type, 202 for work that is done later, 201 or 204 without a body.',
    fix: 'Return 204 without a body, or 202 if the work is done later.',
    evaluate: ({ session }) =>
      Promise.resolve(evaluateStatus(validResponses(session).filter(isSuccess))),
  };
}

function evaluateStatus(accepted: readonly Exchange[]): CheckResult {
  if (accepted.length === 0) return inconclusive('no valid event was accepted');
  const unusual = accepted.flatMap((exchange) => {
    const text = unusualStatus(exchange);
    return text === undefined ? [] : [{ exchange, text }];
  });
  const [first] = unusual;
  if (first)
    return failed(`${first.text} (${unusual.length} of ${accepted.length})`, first.exchange);
  return passed([...new Set(accepted.map(described))].join(', '), accepted[0]);
}

/** What a status does not mean; undefined if it is right. */
function unusualStatus(exchange: Exchange): string | undefined {
  const { status, body } = exchange.response!;
  const hasType = headerOf(exchange.response!, 'content-type') !== undefined;
  if (![200, 201, 202, 204].includes(status)) return `HTTP ${status} is unusual; 204 is right`;
  if (status === 200 && body.length === 0) return 'HTTP 200 without a body; 204 says the same';
  if (body.length > 0 && !hasType) return `HTTP ${status} with a body without Content-Type`;
  return undefined;
}

function small(): Check {
  return {
    id: 'answer.small',
    level: 'should',
    stage: 'observe',
    title: 'Keeps its responses small',
    sends: 'no request; reads the responses to valid events',
    requests: 0,
    passes: 'the body is shorter than 16 KB, and ends within 5 s',
    why: 'Senders read little of a response, and close the connection on a long one: each event then needs a new connection.',
    fix: 'Return 204 or a short text, not a page or a stream.',
    evaluate: ({ session }) => Promise.resolve(evaluateSmall(validResponses(session))),
  };
}

const ends: Readonly<Record<Exclude<BodyEnd, 'complete'>, string>> = {
  'too-large': 'the body of a response is longer than 16 KB',
  endless: 'the body of a response did not end within 5 s',
  broken: 'the connection was closed in the middle of a response',
};

function evaluateSmall(answered: readonly Exchange[]): CheckResult {
  if (answered.length === 0) return inconclusive('no valid event had a response');
  for (const exchange of answered) {
    const { bodyEnd } = exchange.response!;
    if (bodyEnd !== 'complete') return failed(ends[bodyEnd], exchange);
  }
  const longest = Math.max(...answered.map(({ response }) => response!.body.length));
  return passed(`longest body of ${countText(answered.length, 'response')}: ${longest} bytes`);
}

function validResponses({ exchanges }: Session): readonly Exchange[] {
  return exchanges.filter(({ request, response }) => request.isValid && response !== undefined);
}
