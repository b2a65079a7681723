import { acceptance, refusal } from '../acceptance.js';
import { type Check, failed, inconclusive, passed, type CheckResult } from '../check.js';
import type { CheckEvent } from '../events.js';
import { described, isSuccess, type Exchange } from '../exchange.js';
import { sendForged } from '../forgery.js';
import type { Prober } from '../prober.js';
import { withoutSecret } from '../scheme-needs.js';
import { joined } from '../senders/batched.js';
import type { CheckSettings } from '../settings.js';
import { withLetterChanged } from '../tamper.js';

/** The most bytes of one analytics event. */
const maxEventBytes = 32 * 1024;

/** The larger arrays of a target with `batch`; an array of one is what all other checks of such a run send. */
export const arrayChecks: readonly Check[] = [
  {
    id: 'sign.second-event',
    level: 'must',
    stage: 'parallel',
    title: 'Refuses an array whose second event was changed',
    sends: 'with --batch, an array of two events with one letter of the second one changed',
    requests: 1,
    passes: '400, 401 or 403',
    why: 'The signature covers the whole body. A receiver that verifies each element, or the first one alone, lets anyone change the rest.',
    fix: 'Verify the raw body once, before you parse it and look at its elements.',
    cause: 'verification',
    skipIf: withoutSecret,
    evaluate: async (prober) => {
      const [first, second] = [prober.event(), prober.event()];
      const changed = { ...second, body: withLetterChanged(second, 'end') };
      const { body } = joined(first, changed);
      const exchange = await sendForged(prober, joined(first, second), ({ request }) => ({
        ...request,
        body,
      }));
      return refusal(exchange, 'an array whose second event was changed');
    },
  },
  {
    id: 'batch.several',
    level: 'must',
    stage: 'parallel',
    title: 'Accepts an array of several events',
    sends: 'with --batch, an array with an event of each kind, of three events at least',
    requests: 1,
    passes: '2xx',
    why: 'A sender of batches puts whatever waits in one request, events of all types and users. One that is refused holds up all of them.',
    fix: 'Parse the body as an array, and handle each element. Return 2xx if you have stored all of them.',
    evaluate: async (prober) => {
      const [first, ...others] = severalOf(prober);
      return acceptance(await prober.sendEvent(joined(first!, ...others)), 'an array of events');
    },
  },
  {
    id: 'batch.repeat',
    level: 'should',
    stage: 'parallel',
    title: 'Accepts an array with an event that it already has',
    sends: 'with --batch, an event, then an array of this event and a new one',
    requests: 2,
    passes: '2xx each',
    why: 'After a restart a sender makes other arrays of the events that it has no response for.',
    fix: 'Look up the id of each element. Skip those that are known, handle the others, and return 200: no 409, and no error from a unique index.',
    cause: 'repeats',
    evaluate: async (prober) => {
      const [known, fresh] = [prober.event(), prober.event()];
      const first = await prober.sendEvent(known);
      if (!isSuccess(first)) {
        return inconclusive(`the event itself was not accepted: ${described(first)}`, first);
      }
      return acceptance(
        await prober.sendEvent(joined(known, fresh)),
        'an array with an event that came before',
      );
    },
  },
  {
    id: 'batch.full',
    level: 'should',
    stage: 'parallel',
    title: 'Accepts an array of the largest size',
    sends:
      'with --batch, an array of as many events and bytes as a batch may have (batch.size, batch.maxBytes)',
    requests: 1,
    passes: '2xx',
    why: 'After an outage a sender has many events waiting, and its requests are as large as they may be. Many frameworks and proxies take 100 KB or 1 MB unless they are told otherwise.',
    fix: 'Raise the body limit of the framework and of the proxy in front of it above batch.maxBytes, or set a smaller batch.size and batch.maxBytes.',
    evaluate: async (prober) => {
      const { event, count } = arrayOf(prober, prober.settings.batch!);
      const what = `an array of ${count} events, ${event.body.length} bytes`;
      return acceptance(await prober.sendEvent(event), what);
    },
  },
  {
    id: 'batch.too-large',
    level: 'info',
    stage: 'parallel',
    title: 'Refuses an array that is too large with 413',
    sends: 'with --batch, a signed array of twice the bytes of a full one, at least 2 MiB',
    requests: 1,
    passes: '413, or 2xx',
    why: 'A sender reads 413 as final and reports it. 500 or a reset looks like an outage, and the same array is sent again for hours.',
    fix: 'Return 413 where a body is larger than what you read.',
    skipIf: ({ sender }) => (sender.free ? undefined : 'the body has no place for a long text'),
    evaluate: async (prober) => {
      const event = tooLargeArray(prober);
      return sizeJudged(await prober.send(() => prober.request(event)), event.body.length);
    },
  },
];

/** An event of each kind that the endpoint takes, and at least three. */
function severalOf(prober: Prober): CheckEvent[] {
  const { sender } = prober.settings;
  const accepted = sender.kinds.filter((kind) => prober.session.hasAccepted(kind));
  const kinds = accepted.length === 0 ? [sender.usual] : accepted;
  const count = Math.max(3, kinds.length);
  return Array.from({ length: count }, (_, i) => prober.event({ kind: kinds[i % kinds.length]! }));
}

/** How much longer the id of a later event may be, and its comma. */
const slack = 8;

/** At most this many events, whose texts fill the bytes as far as they can. */
function arrayOf(
  prober: Prober,
  { size, maxBytes }: NonNullable<CheckSettings['batch']>,
): { readonly event: CheckEvent; readonly count: number } {
  const isFree = prober.settings.sender.free !== undefined;
  const make = (filler: number): CheckEvent =>
    prober.event(isFree ? { content: JSON.stringify({ text: 'x'.repeat(filler) }) } : {});
  const smallest = make(0).body.length + slack;
  const share = isFree ? Math.min(Math.floor(maxBytes / size), maxEventBytes) : 0;
  const each = Math.max(smallest, share);
  const count = Math.max(1, Math.min(size, Math.floor(maxBytes / each)));
  const [first, ...others] = Array.from({ length: count }, () => make(each - smallest));
  return { event: joined(first!, ...others), count };
}

const leastTooLarge = 2 * 1024 ** 2;

function tooLargeArray(prober: Prober): CheckEvent {
  const bytes = Math.max(leastTooLarge, 2 * prober.settings.batch!.maxBytes);
  const size = Math.ceil(bytes / (maxEventBytes - slack));
  return arrayOf(prober, { size, maxBytes: bytes }).event;
}

function sizeJudged(exchange: Exchange, bytes: number): CheckResult {
  const what = `an array of ${bytes} bytes`;
  if (!exchange.response) return inconclusive(`${what}: ${described(exchange)}`, exchange);
  const { status } = exchange.response;
  if (isSuccess(exchange)) return passed(`${what} is accepted`, exchange);
  if (status === 413) return passed(`${what}: ${described(exchange)}`, exchange);
  return failed(`${what} was answered ${described(exchange)}, expected 413`, exchange);
}
