import { defaultRetryDelaysMs, maxDelayMs } from '../../src/delivery/retry-schedule.js';
import type { DeadLetter } from '../../src/serve/store/rows.js';
import type { Delivery } from './endpoints.js';
import { Outages } from './outages.js';
import { day, hour, minute, second } from './plan.js';
import type { Program } from './program.js';
import {
  idOf,
  isDeletion,
  numberOf,
  signatureOf,
  startedAt,
  timeText,
  Violation,
  type Shape,
  type World,
} from './world.js';

/** Longer than an endpoint that is down is left alone, and longer than a client waits. */
const patienceMs = 12 * minute;
/** From the start of an attempt to the arrival of its request. */
const underwayMs = 50;
const windowMs = 4 * hour;
/** An event whose window ends soon has its last attempt in spite of a pause. */
const nearEndMs = windowMs - 15 * minute;
const longestPauseMs = 4 * hour;
/** How long before the end of its window an event may have its last attempt. */
const lastAttemptMs = 20 * minute;
/** Of events that are not retried. */
const finalCode = /^(status_(?!408|425|429|5)|integration_off$|gone$)/;
const maxWaitMs = 7 * day;
/** The limits of responsive and silent destinations, and one event for each of 20. */
const maxHeldBytes = (32 + 40) * 1024 * 1024 + 20 * 256 * 1024;
/** Of the delay in the schedule, with its jitter. */
const shortestDelay = 0.79;
/** An endpoint that was down before may still get probes. */
const afterOutageMs = 15 * minute;

/** What is known of one event at one destination. */
interface Known {
  readonly n: number;
  readonly destination: string;
  shape: Shape;
  /** A batch with it was accepted while the destination was one of its receivers. */
  isOwed: boolean;
  /** When a batch with it was accepted last, unless that was a repeat; by the clock on the wall. */
  acceptedAt: number;
  /** Requests with it, of all URLs. */
  readonly deliveries: Delivery[];
  /** How many 2xx each URL may have sent by now to one messageId: one more than at the last reason to repeat. */
  allowed: number;
  /** The first attempt since the last reason to repeat, by host and messageId: without an id, each copy has its own. */
  readonly firstAt: Map<string, number>;
  /** The attempts since then while the endpoint failed every second request, by the same. */
  readonly recent: Map<string, Attempts>;
}

/** Attempts at an endpoint that is not down, so that none of them is a probe. */
interface Attempts {
  readonly lastAt: number;
  readonly count: number;
}

/** Compares what happens with what was promised. */
export class Judge {
  readonly #world: World;
  readonly #known = new Map<string, Known>();
  readonly #accepted = new Set<number>();
  readonly #unanswered = new Set<{ readonly program: Program; readonly at: number }>();
  readonly #shapes = new Map<number, Shape>();
  /** Damaged blocks that the last check has read, by run, destination and id. */
  #damaged: ReadonlySet<string> = new Set();
  readonly #outages = new Outages();
  #hasJumped = false;
  #crashes = 0;

  constructor(world: World) {
    this.#world = world;
  }

  noteJump(): void {
    this.#hasJumped = true;
  }

  /** The program starts, or its configuration changes. */
  noteStart(): void {
    this.#outages.noteStart();
  }

  /** A batch is sent, for the first time or again. What was accepted may be so anew after a day, or a failure. */
  noteSending(numbers: readonly number[]): void {
    const again = new Set(numbers.filter((n) => this.#accepted.has(n)));
    this.#renew((known) => again.has(known.n) && known.shape !== 'no id' && !this.#isRepeat(known));
  }

  /** Whether it is skipped when it is sent again now: it was delivered, and accepted less than a day ago. */
  #isRepeat({ deliveries, acceptedAt }: Known): boolean {
    if (this.#hasJumped || this.#world.clock.wallMs - acceptedAt > 23 * hour) return false;
    return deliveries.some(({ status }) => status === 200);
  }

  /** A client waits for this. */
  noteAsked(program: Program, responded: Promise<unknown>): void {
    const asked = { program, at: this.#world.clock.elapsedMs };
    this.#unanswered.add(asked);
    const end = (): void => void this.#unanswered.delete(asked);
    responded.then(end, end);
  }

  noteAccepted(numbers: readonly number[], destinations: readonly string[], shape: Shape): void {
    for (const n of numbers) {
      this.#accepted.add(n);
      this.#shapes.set(n, shape);
      for (const destination of destinations) {
        const known = this.#of(n, destination);
        known.isOwed = true;
        if (shape === 'no id' || !this.#isRepeat(known))
          known.acceptedAt = this.#world.clock.wallMs;
        known.shape = shape;
      }
    }
  }

  isAccepted(n: number): boolean {
    return this.#accepted.has(n);
  }

  noteRedelivered(letters: readonly DeadLetter[]): void {
    const names = new Set(
      letters.map((letter) => keyOf(numberOf(String(letter.bytes)), letter.destination)),
    );
    this.#renew((known) => names.has(keyOf(known.n, known.destination)));
  }

  noteRequest(delivery: Delivery): void {
    this.#noteCrashes();
    const destination = destinationOf(delivery.host);
    const known = this.#of(numberOf(delivery.body), destination);
    this.#judgeContent(known, delivery);
    this.#judgeTime(known, delivery);
    if (known.deliveries.length === 0) this.#judgeOutage(destination, delivery.at);
    known.deliveries.push(delivery);
    this.#judgeRepeat(known, delivery);
  }

  /** While all goes on. */
  check(program: Program): Promise<void> {
    this.#noteCrashes();
    const world = this.#world;
    const { overview } = program.core.operations;
    this.#judgeDamage(program);
    const letters = program.store.views.deadLetters({ limit: 1_000_000 });
    for (const { name, queued, retrying, deadLetters } of overview.destinations) {
      const { waiting, retries } = this.#waitingAt(program, name);
      if (waiting !== queued + retrying || retries !== retrying) {
        fail(`${name}: shows ${queued} (${retrying}) waiting, has ${waiting} (${retries})`);
      }
      const kept = letters.filter(({ destination }) => destination === name).length;
      if (kept !== deadLetters) fail(`${name}: shows ${deadLetters} dead letters, has ${kept}`);
    }
    for (const { program: asked, at } of this.#unanswered) {
      if (asked === program && world.clock.elapsedMs - at > minute)
        fail(`a client has waited since ${timeText(at)} for a response`);
    }
    const isCalm =
      world.failingSince === undefined &&
      !world.disk.faults.isFull &&
      world.clock.elapsedMs - program.startedAt > patienceMs;
    if (isCalm && !this.#hasJumped) this.#judgeProgress(program);
    if (program.memory.heldBytes > maxHeldBytes) {
      fail(`${program.memory.heldBytes} bytes of events are held in memory`);
    }
    return judgeMetrics(program);
  }

  /** At the end of a world, after hours without trouble. */
  async judgeEnd(program: Program): Promise<void> {
    await this.check(program);
    if (program.memory.heldBytes !== 0) {
      fail(`${program.memory.heldBytes} bytes are held for events although none waits`);
    }
    const kept = program.store.views.deadLetters({ limit: 1_000_000 });
    if (!this.#hasJumped) for (const letter of kept) this.#judgeLetter(letter);
    const letters = new Set(
      kept.map(({ destination, bytes }) => keyOf(numberOf(String(bytes)), destination)),
    );
    const { setAside } = program.store;
    for (const { name } of this.#world.plan.destinations) {
      const { waiting } = this.#waitingAt(program, name);
      if (waiting > 0) fail(`${name}: ${waiting} events still wait at the end`);
    }
    let missing = 0;
    for (const known of this.#known.values()) {
      if (!known.isOwed) continue;
      const isDelivered = known.deliveries.some(({ status }) => status === 200);
      if (isDelivered || letters.has(keyOf(known.n, known.destination))) continue;
      missing++;
      if (missing > setAside.events) {
        fail(
          `${known.destination}: event ${known.n} was accepted, and is neither delivered nor a dead letter`,
        );
      }
    }
  }

  /**
   * An event ends early only where a response is final, and is tried again when it is sent again after that. Once it
   * is delivered, it is no dead letter any more.
   */
  #judgeLetter({ destination, bytes, messageId, code, receivedAt, failedAt }: DeadLetter): void {
    const n = numberOf(String(bytes));
    if (failedAt - receivedAt < shortestLifeOf(code)) {
      const minutes = Math.round((failedAt - receivedAt) / minute);
      fail(`${destination}: event ${n} ended with ${code} after ${minutes} minutes`);
    }
    const known = this.#known.get(keyOf(n, destination));
    if (!known) return;
    const endedAt = failedAt - startedAt;
    const delivered = known.deliveries.find(
      (one) => one.messageId === messageId && one.status === 200 && one.at > endedAt + minute,
    );
    if (delivered) {
      fail(
        `${destination}: event ${n} was delivered at ${timeText(delivered.at)}, and is still a dead letter`,
      );
    }
    const sentAt = known.acceptedAt - startedAt;
    if (sentAt < endedAt + minute || !this.#world.isEnabled(destination)) return;
    if (known.deliveries.every(({ at }) => at < sentAt)) {
      fail(`${destination}: event ${n} was sent again after it had failed, and is not tried again`);
    }
  }

  /** A damaged block waits as the others do, until it is read: nothing else shows that it is damaged. */
  #waitingAt({ store }: Program, destination: string): { waiting: number; retries: number } {
    const due = store.retries(destination, 1_000_000);
    const latest = (due.at(-1)?.dueAt ?? 0) - this.#world.clock.wallMs;
    if (latest > longestPauseMs + minute && !this.#hasJumped) {
      fail(`${destination}: a retry is due in ${Math.round(latest / minute)} minutes`);
    }
    const retries = due.length;
    let waiting = retries;
    for (const events of this.#world.damagedBlocks(destination).values()) waiting += events;
    for (let after = 0; ;) {
      const page = store.notAttempted(destination, after, 10_000);
      if (page.length === 0) return { waiting, retries };
      waiting += page.length;
      after = page.at(-1)!.id;
    }
  }

  /** Each check reads all blocks, so those that are damaged are set aside before the next one. */
  #judgeDamage({ store }: Program): void {
    const { plan, runs } = this.#world;
    const damaged = new Set<string>();
    for (const { name } of plan.destinations) {
      for (const id of this.#world.damagedBlocks(name).keys()) {
        const key = `${runs} ${name} ${id}`;
        damaged.add(key);
        if (this.#damaged.has(key) && store.failure === undefined) {
          fail(`${name}: the damaged block ${id} was read, and is not set aside`);
        }
      }
    }
    this.#damaged = damaged;
  }

  #of(n: number, destination: string): Known {
    const key = keyOf(n, destination);
    let known = this.#known.get(key);
    if (!known) {
      const shape = this.#shapes.get(n) ?? 'plain';
      known = {
        ...{
          n,
          destination,
          shape,
          isOwed: false,
          acceptedAt: -Infinity,
          deliveries: [],
          allowed: this.#copiesOf(n),
        },
        firstAt: new Map<string, number>(),
        recent: new Map<string, Attempts>(),
      };
      this.#known.set(key, known);
    }
    return known;
  }

  /** Each source of a deleted user sends a notice of its own. */
  #copiesOf(n: number): number {
    return isDeletion(n) ? this.#world.plan.sources.length : 1;
  }

  #renew(isMeant: (known: Known) => boolean): void {
    for (const known of this.#known.values()) {
      if (!isMeant(known)) continue;
      known.allowed = this.#copiesOf(known.n) + maxAccepted(known.deliveries);
      known.firstAt.clear();
      known.recent.clear();
    }
  }

  /** After a crash, what was in flight or not yet recorded may be sent again. */
  #noteCrashes(): void {
    const { crashes } = this.#world;
    if (crashes === this.#crashes) return;
    this.#crashes = crashes;
    this.#renew(() => true);
  }

  #judgeContent(known: Known, { body, signature, messageId, host }: Delivery): void {
    if (signature !== signatureOf(body)) fail(`${host}: event ${known.n} has a wrong signature`);
    const first = known.deliveries.find((one) => one.messageId === messageId);
    if (first && first.body !== body)
      fail(`${host}: event ${known.n} has another body than before`);
    const given = this.#shapes.has(known.n) ? idOf(known.n, known.shape) : undefined;
    if (given !== undefined && messageId !== given) {
      fail(`${host}: event ${known.n} has the id ${JSON.stringify(messageId)}`);
    }
  }

  #judgeTime(known: Known, { at, host, messageId, run }: Delivery): void {
    const { failingSince, endpoints, program } = this.#world;
    if (failingSince !== undefined && at - failingSince > underwayMs) {
      fail(`${host}: event ${known.n} is sent although its outcome cannot be recorded`);
    }
    if (!program) fail(`${host}: event ${known.n} is sent by a program that has ended`);
    const copy = `${host} ${messageId}`;
    const firstAt = known.firstAt.get(copy) ?? at;
    known.firstAt.set(copy, firstAt);
    const age = at - firstAt;
    if (age > windowMs + underwayMs && !this.#hasJumped) {
      fail(
        `${host}: event ${known.n} is tried ${Math.round(age / minute)} minutes after its first attempt`,
      );
    }
    this.#judgeSchedule(known, copy, age, at);
    const { pause } = endpoints.get(host)!;
    if (pause?.run !== run || this.#hasJumped) return;
    const until = Math.min(pause.until, pause.since + longestPauseMs);
    const isPaused = at > pause.since + underwayMs && at < until - underwayMs;
    if (isPaused && age < nearEndMs && !this.#hasEndOfWindow(host, at)) {
      fail(`${host}: event ${known.n} is sent in a pause that the endpoint asked for`);
    }
  }

  /** An endpoint that fails every second request is not down, so attempts keep the distances of the schedule. */
  #judgeSchedule(known: Known, copy: string, age: number, at: number): void {
    const [host = ''] = copy.split(' ');
    const since = this.#world.endpoints.get(host)!.halfSince;
    if (since === undefined || at - since < afterOutageMs) return;
    const { lastAt, count } = known.recent.get(copy) ?? { lastAt: -Infinity, count: 0 };
    known.recent.set(copy, { lastAt: at, count: count + 1 });
    if (age > nearEndMs || lastAt < since || this.#hasJumped) return;
    const delayMs = defaultRetryDelaysMs[count - 1] ?? maxDelayMs;
    if (at - lastAt >= shortestDelay * delayMs) return;
    const seconds = ((at - lastAt) / second).toFixed(1);
    fail(`${host}: event ${known.n} is tried again after ${seconds} s, ${count} attempts before`);
  }

  #judgeOutage(destination: string, at: number): void {
    const { plan, endpoints } = this.#world;
    const { urls } = plan.destinations.find(({ name }) => name === destination)!;
    const all = urls.map(({ host }) => endpoints.get(host)!);
    const wrong = this.#outages.noteFirstAttempt(destination, all, at);
    if (wrong !== undefined && !this.#hasJumped) fail(wrong);
  }

  /** Whether the window of any event at this URL ends about now, which ends a pause. */
  #hasEndOfWindow(host: string, at: number): boolean {
    for (const { firstAt } of this.#known.values()) {
      for (const [copy, since] of firstAt) {
        const age = at - since;
        if (copy.startsWith(`${host} `) && age > nearEndMs && age < windowMs + minute) return true;
      }
    }
    return false;
  }

  #judgeRepeat(known: Known, { host, messageId }: Delivery): void {
    const same = known.deliveries.filter((one) => one.host === host && one.messageId === messageId);
    const accepted = same.slice(0, -1).filter(({ status }) => status === 200).length;
    if (accepted < known.allowed) return;
    const times = same.map(({ at, status }) => `${timeText(at)} ${status}`);
    fail(`${host}: event ${known.n} is sent again after a 200: ${times.join(', ')}`);
  }

  /** A URL that is up has what waits. */
  #judgeProgress(program: Program): void {
    const world = this.#world;
    const now = world.clock.elapsedMs;
    for (const { name, urls } of world.plan.destinations) {
      if (!world.isEnabled(name)) continue;
      const isUp = urls.some(({ host }) => {
        const { upSince, pause } = world.endpoints.get(host)!;
        const isPaused =
          pause !== undefined && pause.since + longestPauseMs > now && pause.until > now;
        return upSince !== undefined && now - upSince > patienceMs && !isPaused;
      });
      if (!isUp) continue;
      const since = program.store.notAttemptedSince(name);
      const waitedMs = since === undefined ? 0 : world.clock.wallMs - since;
      const enabledMs = now - world.enabledAt(name);
      if (Math.min(waitedMs, enabledMs) > patienceMs) {
        fail(
          `${name}: an event waits for ${Math.round(waitedMs / minute)} minutes although a URL is up`,
        );
      }
      const [due] = program.store.retries(name, 1);
      if (due && world.clock.wallMs - due.dueAt > patienceMs && enabledMs > patienceMs) {
        fail(
          `${name}: a retry is late by ${Math.round((world.clock.wallMs - due.dueAt) / minute)} minutes`,
        );
      }
    }
  }
}

/** How long an event is kept at least that ends with this code. */
function shortestLifeOf(code: string): number {
  if (finalCode.test(code)) return 0;
  return (code === 'expired' ? maxWaitMs : windowMs) - lastAttemptMs;
}

/** The metrics say what the overview says, which the page shows. */
async function judgeMetrics({ core: { operations } }: Program): Promise<void> {
  const { overview } = operations;
  const text = await operations.metrics.text();
  for (const { name, queued, retrying, deadLetters } of overview.destinations) {
    const expected = {
      evfwd_events_waiting: queued + retrying,
      evfwd_retries_waiting: retrying,
      evfwd_dead_letters: deadLetters,
    };
    for (const [metric, value] of Object.entries(expected)) {
      const line = `${metric}{destination="${name}"} `;
      const shown = text.split('\n').find((one) => one.startsWith(line)) ?? `${line}0`;
      if (shown !== `${line}${value}`) fail(`the metrics have ${shown}, and the overview ${value}`);
    }
  }
}

/** How often one URL has accepted one messageId. */
function maxAccepted(deliveries: readonly Delivery[]): number {
  const counts = new Map<string, number>();
  for (const { host, messageId, status } of deliveries) {
    const copy = `${host} ${messageId}`;
    if (status === 200) counts.set(copy, (counts.get(copy) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

function destinationOf(host: string): string {
  return host.split('.')[1]!;
}

function keyOf(n: number, destination: string): string {
  return `${destination} ${n}`;
}

function fail(text: string): never {
  throw new Violation(text);
}
