import type { Clock } from '../../clock.js';
import { isProblem, type Event, type Problem } from '../../events/event.js';
import { headerSecrets, redactionOf } from '../../delivery/redaction.js';
import type { RequestSigner } from '../../sign/request-signer.js';
import type { RateLimiter } from '../../delivery/rate-limiter.js';
import { CaptureItem } from '../capture-item.js';
import {
  compose,
  requestSecrets,
  sendsCredentialsToOtherHost,
  type ComposedRequest,
  type Composition,
} from '../compose.js';
import type { BodyEditor } from '../edit-body.js';
import { ownRequest } from '../own-request.js';
import { shownPath, type UnsendableRequest } from '../path.js';
import type { RequestFilters } from '../request-filters.js';
import type { Answer, HandlerClient, NoAnswer, WrittenRequest } from './client.js';
import { compareAnswers } from './compare-answers.js';
import { Findings, type ExampleRequest } from './findings.js';
import type { IgnoredPlaces } from './ignore.js';
import type { Difference, Noise } from './noise.js';
import { differencesBesideAddress } from './own-address.js';
import { Repeat } from './repeat.js';

/** One version of a handler. */
export interface Version {
  readonly composition: Composition;
  readonly client: Pick<HandlerClient, 'reach' | 'send' | 'close'>;
}

export interface ComparisonOptions {
  readonly baseline: Version;
  readonly candidate: Version;
  /** How often each request is sent to the baseline; what differs then is noise. */
  readonly baselineRuns: 1 | 2;
  readonly ignored: IgnoredPlaces;
  readonly comparesHeaders: boolean;
  /** None: the recorded headers go along as they are. */
  readonly signers: readonly RequestSigner[];
  /** What must not be shown: the shared secrets. */
  readonly secrets: readonly (string | Uint8Array)[];
  readonly bodyEditor?: BodyEditor | undefined;
  /** Undefined: all requests are wanted. */
  readonly filters?: RequestFilters | undefined;
  readonly isSelected: (item: unknown) => boolean;
  /** The most requests to compare. */
  readonly limit: number;
  /** Requests that are compared at a time. */
  readonly concurrency: number;
  /** Limits the requests to the baseline. */
  readonly rate?: RateLimiter | undefined;
  /** Milliseconds until a request is due, and that it is sent. Default: at once. */
  readonly schedule?: { waitFor(event: Event): number; granted(): void } | undefined;
  readonly clock: Clock;
  /** Waits; cut short when the signal is aborted. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly signal: AbortSignal;
  readonly listener: ComparisonListener;
}

/** What one version did not answer, or why a request was not sent. */
export interface Unanswered {
  readonly item: CaptureItem;
  readonly of: 'baseline' | 'candidate';
  readonly why: NoAnswer;
}

export interface ComparisonListener {
  /** A line that is no request, or one that HTTP cannot carry. */
  rejected(problem: Problem | { readonly item: CaptureItem; readonly message: string }): void;
  unanswered(unanswered: Unanswered): void;
  /** Recorded credentials go to this host, which is not the recorded one; called once. */
  credentialsToOtherHost(host: string): void;
  /** Called when a request has ended. @param counts is not cheap */
  progress(counts: () => ComparisonCounts): void;
}

/** How many requests have ended in which way. */
export interface ComparisonCounts {
  readonly requests: number;
  readonly different: number;
  readonly failed: number;
  /** Left out by filters. */
  readonly skipped: number;
  /** Responses that were longer than what is read. */
  readonly cut: number;
  /** Answered with 401 or 403 by both. */
  readonly refused: number;
}

/** After this many requests without a single answer, the address is likely wrong. */
const unreachableAfter = 100;
/** Bodies of responses that are held at a time; comparing longer ones keeps the others waiting, too. */
const maxHeldBytes = 8 * 1024 * 1024;
const initialConcurrency = 4;
/** Of a request that is kept to be sent again: headers, and pages of memory that bodies share with others. */
const repeatOverhead = 2 * 1024;
/** Longer bodies are not kept as examples. */
const maxExampleBytes = 8 * 1024;

/** Sends requests to two versions of a handler, and collects what only the second does differently. */
export class HandlerComparison {
  readonly findings = new Findings();
  readonly #options: ComparisonOptions;
  readonly #running = new Set<Promise<void>>();
  #hasWarned = false;
  #started = 0;
  #ended = 0;
  #answered = 0;
  #unanswered = 0;
  #rejected = 0;
  #skipped = 0;
  #cut = 0;
  #refused = 0;
  /** Bytes. */
  #longestBody = 1;

  constructor(options: ComparisonOptions) {
    this.#options = options;
  }

  get counts(): ComparisonCounts {
    return {
      requests: this.#ended,
      different: this.findings.different,
      failed: this.#unanswered + this.#rejected,
      skipped: this.#skipped,
      cut: this.#cut,
      refused: this.#refused,
    };
  }

  /** Whether it ended because nothing was answered. */
  get isUnreachable(): boolean {
    return this.#answered === 0 && this.#unanswered >= unreachableAfter;
  }

  /** Requests start in the order of the source. Resolves when the last one has ended. */
  async run(source: AsyncIterable<readonly (Event | Problem)[]>): Promise<void> {
    for await (const batch of source) {
      for (const item of batch) await this.#take(item);
      if (this.#isDone()) break;
    }
    await Promise.all(this.#running);
    this.findings.joinGroups();
    await this.#repeatDoubtful();
  }

  /**
   * Sends requests with rare differences again, until it is known which are noise. The candidate alone is asked first:
   * most noise ends there, without one more effect at the baseline.
   */
  async #repeatDoubtful(): Promise<void> {
    const { signal, concurrency } = this.#options;
    for (let toBoth = false; ; toBoth = true) {
      const doubtful = this.findings.doubtful();
      if (doubtful.size === 0) return;
      for (const [repeat, noise] of doubtful) {
        while (this.#running.size >= concurrency) await Promise.race(this.#running);
        if (signal.aborted) return;
        const job: Promise<void> = repeat
          .send(noise, toBoth)
          .then(() => void this.#running.delete(job));
        this.#running.add(job);
      }
      await Promise.all(this.#running);
      if (signal.aborted) return;
      this.findings.judgeRepeats();
    }
  }

  #isDone(): boolean {
    const { signal, limit } = this.#options;
    return signal.aborted || this.#started >= limit || this.isUnreachable;
  }

  async #take(item: Event | Problem): Promise<void> {
    const { listener, isSelected } = this.#options;
    if (this.#isDone()) return;
    if (isProblem(item)) {
      this.#reject(() => listener.rejected(item));
      return;
    }
    if (!(item instanceof CaptureItem) || !item.isRequest) return;
    if (!isSelected(item)) {
      this.#skipped++;
      return;
    }
    while (this.#running.size >= this.#maxConcurrent) await Promise.race(this.#running);
    await this.#waitUntilDue(item);
    if (this.#isDone()) return;
    const job: Promise<void> = this.#compare(item).finally(() => this.#running.delete(job));
    this.#running.add(job);
  }

  /** Fewer at the start, until it is known how long the bodies are, and where they are long. */
  get #maxConcurrent(): number {
    const { concurrency, baselineRuns } = this.#options;
    const byMemory = Math.floor(maxHeldBytes / ((baselineRuns + 1) * this.#longestBody));
    return Math.max(1, Math.min(concurrency, initialConcurrency + this.#ended, byMemory));
  }

  #reject(report: () => void): void {
    this.#ended++;
    this.#rejected++;
    report();
  }

  async #waitUntilDue(item: Event): Promise<void> {
    const { schedule, sleep } = this.#options;
    const waitMs = schedule?.waitFor(item) ?? 0;
    if (waitMs > 0) await sleep(waitMs);
    await this.#waitForTurn();
    schedule?.granted();
  }

  async #waitForTurn(): Promise<void> {
    const { rate, sleep } = this.#options;
    const waitMs = rate?.turn() ?? 0;
    if (waitMs > 0) await sleep(waitMs);
  }

  async #compare(item: CaptureItem): Promise<void> {
    const { bodyEditor, filters, listener, baseline, candidate } = this.#options;
    const { request } = item;
    const body = bodyEditor ? bodyEditor.edit(request.body) : request.body;
    const reject = ({ message }: { readonly message: string }): void =>
      this.#reject(() => listener.rejected({ item, message }));
    if ('code' in body) {
      reject(body);
      return;
    }
    if (filters?.wantedBy(body) === 0) {
      this.#skipped++;
      return;
    }
    const toBaseline = compose(request, baseline.composition);
    const toCandidate = compose(request, candidate.composition);
    if ('code' in toBaseline || 'code' in toCandidate) {
      reject('code' in toBaseline ? toBaseline : (toCandidate as UnsendableRequest));
      return;
    }
    this.#warn(item);
    const number = this.#started++;
    // Groups are in the order of their first requests.
    this.findings.group(toBaseline.method, request.path);
    const sent = { item, body, toBaseline, toCandidate, number };
    const answers = await this.#send(sent);
    if (this.#options.signal.aborted) return;
    this.#ended++;
    const isAnswered = this.#record(sent, answers);
    if (isAnswered) this.#answered++;
    else this.#unanswered++;
    listener.progress(() => this.counts);
  }

  #warn({ request }: CaptureItem): void {
    const { baseline, candidate, listener } = this.#options;
    const compositions = [baseline.composition, candidate.composition];
    const other = compositions.find((each) => sendsCredentialsToOtherHost(request, each));
    if (!other || this.#hasWarned) return;
    this.#hasWarned = true;
    listener.credentialsToOtherHost(other.base.url.host);
  }

  /**
   * Sends to the candidate between the two requests to the baseline: a clock or counter has gone on by the second of
   * these, too, and is seen to be noise.
   */
  async #send({ item, body, toBaseline, toCandidate }: Sent): Promise<Answers> {
    const { baseline, candidate, baselineRuns } = this.#options;
    const send = (version: Version, composed: ComposedRequest): Promise<Answer | NoAnswer> =>
      version.client.send(this.#written(item.givenId!, body, version, composed));
    const answers: Answers = {
      baseline: await send(baseline, toBaseline),
      candidate: await send(candidate, toCandidate),
      baselineAgain: undefined,
    };
    if (baselineRuns === 1 || 'error' in answers.baseline || 'error' in answers.candidate) {
      return answers;
    }
    await this.#waitForTurn();
    answers.baselineAgain = await send(baseline, toBaseline);
    return answers;
  }

  #written(
    messageId: string,
    body: Buffer,
    { composition }: Version,
    composed: ComposedRequest,
  ): WrittenRequest {
    const { signers, clock } = this.#options;
    const parts = { composed, origin: composition.base.origin, body, messageId };
    const now = (): number => clock.now();
    const own = ownRequest({ ...parts, signers, comparison: undefined, now });
    return { method: composed.method, headers: own.headers(), body };
  }

  /** Returns whether all were answered. */
  #record(sent: Sent, { baseline, baselineAgain, candidate }: Answers): boolean {
    const { listener, ignored, comparesHeaders } = this.#options;
    const { item, toBaseline, number } = sent;
    const isAnsweredAgain = baselineAgain !== undefined && !('error' in baselineAgain);
    const again = isAnsweredAgain ? baselineAgain : undefined;
    const failed = 'error' in baseline ? baseline : isAnsweredAgain ? undefined : baselineAgain;
    if (failed) listener.unanswered({ item, of: 'baseline', why: failed });
    if ('error' in candidate) listener.unanswered({ item, of: 'candidate', why: candidate });
    if ('error' in baseline || 'error' in candidate) return false;
    const answers = [baseline, ...(again ? [again] : []), candidate];
    this.#cut += answers.filter(({ isCut }) => isCut).length;
    this.#longestBody = Math.max(
      this.#longestBody,
      ...answers.map(({ body: { length } }) => length),
    );
    const group = this.findings.group(toBaseline.method, item.request.path);
    if (again) {
      const rules = { ignored, comparesHeaders, noise: group.noise, learns: true };
      const noise = compareAnswers(baseline, again, rules);
      for (const difference of noise) group.noise.learn(difference);
    }
    if (failed) return false;
    if (isRefusal(baseline) && isRefusal(candidate)) this.#refused++;
    const differences = this.#differences(group.noise, baseline, candidate, again);
    this.findings.add(group, differences, {
      ...{ number, redact: this.#redaction(sent), example: () => exampleOf(sent) },
      repeat: again && this.#repeatOf(repeatable(sent), baseline, again),
    });
    return true;
  }

  #differences(
    noise: Noise,
    baseline: Answer,
    candidate: Answer,
    baselineAgain: Answer | undefined,
  ): Difference[] {
    const { ignored, comparesHeaders } = this.#options;
    const [baselineHost, candidateHost] = [this.#options.baseline, this.#options.candidate].map(
      ({ composition }) => composition.base.url.host,
    );
    const rules = { ignored, comparesHeaders, noise, baselineAgain, learns: false };
    return differencesBesideAddress(candidate, candidateHost!, baselineHost!, (answer) =>
      compareAnswers(baseline, answer, rules),
    );
  }

  #repeatOf(request: RepeatableRequest, baseline: Answer, baselineAgain: Answer): Repeat {
    const { messageId, body, toBaseline, toCandidate } = request;
    const bytes = body.length + baseline.body.length + baselineAgain.body.length + repeatOverhead;
    const send = (version: Version, composed: ComposedRequest): Promise<Answer | NoAnswer> =>
      version.client.send(this.#written(messageId, body, version, composed));
    return new Repeat(bytes, async (noise, toBoth) => {
      if (toBoth) await this.#waitForTurn();
      const repeated = toBoth ? await send(this.#options.baseline, toBaseline) : undefined;
      const candidate = await send(this.#options.candidate, toCandidate);
      if ('error' in candidate || (repeated && 'error' in repeated)) return undefined;
      const differencesFrom = (answer: Answer): Difference[] =>
        this.#differences(noise, answer, candidate, baselineAgain);
      return {
        toFirstResponse: differencesFrom(baseline),
        ...(repeated && { toRepeatedResponse: differencesFrom(repeated) }),
      };
    });
  }

  /** Made for the first difference, which most requests do not have. */
  #redaction({ toBaseline, toCandidate }: Sent): (text: string) => string {
    let all: ((text: string) => string) | undefined;
    return (text) => {
      const own = [toBaseline, toCandidate].flatMap((each) =>
        requestSecrets(each).flatMap(headerSecrets),
      );
      all ??= redactionOf([...this.#options.secrets, ...own]).all;
      return all(text);
    };
  }
}

interface Sent {
  readonly item: CaptureItem;
  readonly body: Buffer;
  readonly toBaseline: ComposedRequest;
  readonly toCandidate: ComposedRequest;
  /** From 0, in the order of the source. */
  readonly number: number;
}

/** What is needed to send a request again. Without the capture, whose bytes are a part of a longer buffer. */
interface RepeatableRequest extends Pick<Sent, 'body' | 'toBaseline' | 'toCandidate'> {
  readonly messageId: string;
}

function repeatable({ item, body, toBaseline, toCandidate }: Sent): RepeatableRequest {
  return { body, toBaseline, toCandidate, messageId: item.givenId! };
}

interface Answers {
  readonly baseline: Answer | NoAnswer;
  /** Undefined where the request was not sent a second time. */
  baselineAgain: Answer | NoAnswer | undefined;
  readonly candidate: Answer | NoAnswer;
}

function isRefusal({ status }: Answer): boolean {
  return status === 401 || status === 403;
}

function exampleOf({ item, body, toCandidate }: Sent): ExampleRequest {
  const { file, line } = item.origin;
  return {
    ...{ file, line, method: toCandidate.method },
    path: shownPath(toCandidate.path),
    hasQuery: toCandidate.path.includes('?'),
    headers: toCandidate.headers.map(([name, value]) => [name, isPublic(name) ? value : hidden]),
    bodyBytes: body.length,
    body: body.length <= maxExampleBytes ? Buffer.from(body) : undefined,
  };
}

const hidden = '***';
/** Headers without which a request means something else, and which hold no secrets. */
const publicHeaders = ['accept', 'accept-encoding', 'content-type', 'user-agent'];

function isPublic(name: string): boolean {
  return publicHeaders.includes(name.toLowerCase());
}
