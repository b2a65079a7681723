import { acceptance, allAccepted, refusal } from '../acceptance.js';
import { type Check, noted, type CheckResult } from '../check.js';
import { draftOf, forged, sendForged, signedAs, signingOf, type Draft } from '../forgery.js';
import type { Prober } from '../prober.js';
import { withoutTime } from '../scheme-needs.js';

const minute = 60_000;
const hour = 60 * minute;

/** The time of a signature: neither old nor ahead, and clocks may differ a little. */
export const timeChecks: readonly Check[] = [
  {
    id: 'time.old',
    level: 'must',
    stage: 'parallel',
    title: 'Refuses an old signature',
    sends: 'an event, validly signed, whose signature is an hour old',
    requests: 1,
    passes: '400, 401 or 403',
    why: 'Otherwise anyone who recorded a request could replay it forever (Standard Webhooks: verify the timestamp).',
    fix: 'Verify the signature, then refuse an event whose signed timestamp is more than five minutes old.',
    cause: 'time',
    skipIf: withoutTime,
    evaluate: (prober) => evaluateFar(prober, -1, 'ago'),
  },
  {
    id: 'time.future',
    // The libraries of some senders do not look at it.
    level: ({ signing }) => (signing?.scheme.judgesFuture === false ? 'should' : 'must'),
    levelText: 'required; recommended for `stripe`, `twitch` and `convoy-advanced`',
    stage: 'parallel',
    title: 'Refuses a signature from the future',
    sends: 'an event, validly signed, whose signature is an hour ahead',
    requests: 1,
    passes: '400, 401 or 403; where the libraries of the sender accept it, information',
    why: 'A request dated in the future stays valid for longer than it should, and can be replayed until then (Standard Webhooks: verify the timestamp).',
    fix: 'Refuse an event whose signed timestamp differs from your clock by more than five minutes in either direction.',
    cause: 'time',
    skipIf: withoutTime,
    evaluate: async (prober) => {
      const result = await evaluateFar(prober, 1, 'ahead');
      const { name, judgesFuture } = signingOf(prober).scheme;
      if (result.outcome !== 'failed' || judgesFuture) return result;
      return noted(`${result.message}; the libraries of ${name} accept it, too`, result.evidence);
    },
  },
  {
    id: 'time.unsigned',
    level: 'must',
    stage: 'parallel',
    title: 'Refuses a signature that does not cover its time',
    sends: 'an event with a fresh time, whose signature is of the body alone',
    requests: 1,
    passes: '400, 401 or 403',
    why: 'A time that the signature does not cover can be replaced: an old request then passes as a new one (Standard Webhooks: the timestamp is signed).',
    fix: 'Calculate the signature from the time in the header and the raw body, as the scheme says, and accept no other form.',
    cause: 'time',
    skipIf: withoutTime,
    evaluate: async (prober) => {
      const { scheme, secrets } = signingOf(prober);
      const signing = { scheme: { ...scheme, content: '{body}' }, secrets: secrets.slice(0, 1) };
      const change = (draft: Draft) => signedAs(draft, signing);
      const exchange = await sendForged(prober, prober.event(), change);
      return refusal(exchange, 'an event whose signature does not cover its time');
    },
  },
  {
    id: 'time.skew',
    level: 'should',
    stage: 'parallel',
    title: 'Accepts clocks that are two minutes off',
    sends: 'two valid events, signed two minutes ago and two minutes ahead',
    requests: 2,
    passes: '2xx each',
    why: 'Clocks differ, and a request may wait in a queue. Most libraries of senders allow five minutes.',
    fix: 'Allow five minutes in both directions, and keep the clock of the server in sync (NTP).',
    skipIf: withoutTime,
    evaluate: evaluateSkew,
  },
];

/** @param direction -1 for the past, 1 for the future */
async function evaluateFar(prober: Prober, direction: -1 | 1, word: string): Promise<CheckResult> {
  // An own scheme may allow more than an hour.
  const distance = Math.max(hour, 2 * toleranceOf(prober));
  const event = prober.event();
  const exchange = await prober.send(() => {
    const draft = draftOf(prober, event, Date.now() + direction * distance);
    return forged(draft, draft.request);
  });
  return refusal(exchange, `an event signed ${distance / hour} h ${word}`);
}

async function evaluateSkew(prober: Prober): Promise<CheckResult> {
  // An own scheme may allow less than two minutes.
  const distance = Math.min(2 * minute, toleranceOf(prober) / 2);
  const send = (shift: number) => {
    const event = prober.event();
    return prober.send(() => prober.validRequest(event, { nowMs: Date.now() + shift }));
  };
  const past = await send(-distance);
  const ahead = await send(distance);
  const accepted = acceptance(past, 'an event signed slightly in the past');
  return accepted.outcome === 'passed'
    ? allAccepted([ahead, past], 'an event signed slightly in the future')
    : accepted;
}

function toleranceOf(prober: Prober): number {
  return signingOf(prober).scheme.toleranceMs!;
}
