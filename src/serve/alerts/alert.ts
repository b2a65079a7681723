import { durationInWords } from '../../duration.js';
import { withoutQuery } from '../../http/url.js';
import { countOf } from '../../output/numbers.js';
import { printable } from '../../output/printable.js';
import type { Destination } from '../types.js';

/** What is reported without being asked for. */
export type DetectedKind = 'down' | 'up' | 'dead_letters' | 'certificate';
export type AlertKind = DetectedKind | 'test';

/** The JSON body of an alert. Chats such as Slack and Mattermost show `text`. */
export interface Alert {
  /** One sentence. */
  readonly text: string;
  readonly kind: AlertKind;
  readonly destination: string;
  /** The URL that failed last, or the first one, without its query; of `certificate` its own. */
  readonly endpoint: string;
  /** ISO 8601: since when it is down or back, or there are new dead letters; of a test its time. */
  readonly since: string;
  readonly reason: string;
  readonly counts: AlertCounts;
}

export interface AlertCounts {
  /** Events that wait, including those in flight and those that wait for a retry. */
  readonly waiting?: number;
  readonly retrying?: number;
  /** Those that are kept. */
  readonly deadLetters?: number;
  /** Of kind `dead_letters`: those since the last alert about them. */
  readonly newDeadLetters?: number;
  /** Of kind `certificate`: whole days until it ends; below 0 once it has. */
  readonly certificateDays?: number;
}

/** What an alert is made of. Times are milliseconds since 1970. */
export interface AlertFacts {
  readonly kind: AlertKind;
  readonly since: number;
  /** Of `down` how long it is down, of `up` how long it was; in milliseconds. */
  readonly lastedMs?: number;
  readonly reason: string;
  /** The URL that failed last. Default: the first one. */
  readonly endpoint?: string | undefined;
  readonly counts: AlertCounts;
}

export function alertOf({ name, endpoints }: Destination, facts: AlertFacts): Alert {
  const { kind, since, endpoint = withoutQuery(endpoints[0]!.url), counts } = facts;
  const reason = printable(facts.reason);
  return {
    text: sentences[kind](printable(name), { ...facts, reason }),
    ...{ kind, destination: name, endpoint },
    since: new Date(since).toISOString(),
    ...{ reason, counts },
  };
}

type Sentence = (destination: string, facts: AlertFacts) => string;

const sentences: Readonly<Record<AlertKind, Sentence>> = {
  down: (destination, { lastedMs = 0, reason, counts: { waiting = 0 } }) =>
    `${destination} is down: nothing was delivered for ${wordsOf(lastedMs)} (${reason}), and ${waitingText(waiting)}.`,
  up: (destination, { lastedMs = 0, counts: { waiting = 0 } }) =>
    `${destination} is back: it was down for ${wordsOf(lastedMs)}, and ${waitingText(waiting)}.`,
  dead_letters: (destination, { reason, counts: { newDeadLetters = 0 } }) =>
    `${countOf(newDeadLetters, 'event')} for ${destination} could not be delivered and ${newDeadLetters === 1 ? 'is a dead letter' : 'are dead letters'} now (${reason}).`,
  certificate: (destination, { reason }) =>
    `The client certificate for an endpoint of ${destination} has to be renewed: ${reason}.`,
  test: (destination) => `This is a test: alerts about ${destination} arrive here.`,
};

function waitingText(waiting: number): string {
  return waiting === 0 ? 'nothing waits' : countOf(waiting, 'event waits', 'events wait');
}

/** Whole seconds: `15 min`, `1 h 3 min`. */
function wordsOf(ms: number): string {
  return durationInWords(Math.max(1, Math.round(ms / 1000)) * 1000);
}
