import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seeded, type Random } from '../../src/fixtures/random.js';
import { StateError } from '../../src/errors.js';
import { Switches } from '../../src/serve/switches.js';
import type { Destination, Routing, Source } from '../../src/serve/types.js';
import { signingBy } from '../helpers/signing.js';
import { WorldClock } from './clock.js';
import { SimulatedDisk } from './disk.js';
import { Endpoint, type Delivery } from './endpoints.js';
import { Judge } from './judge.js';
import { hour, minute, second, day, type Happening, type Plan } from './plan.js';
import { Program } from './program.js';
import { settled } from './settle.js';

export const secret = 'a secret of the world';
export const startedAt = Date.parse('2026-11-20T08:30:00.000Z');
/** When a client sends a batch again that was not accepted. */
const clientRetryMs = 20 * second;
const clientRetries = 200;
/** How often everything is checked. */
const checkEveryMs = hour;
/** How long a world goes on after its last trouble. */
const calmMs = 10 * hour;

export interface Report {
  /** The first thing that must not happen; undefined when all was right. */
  readonly violation: string | undefined;
  readonly history: readonly string[];
  readonly events: number;
  readonly requests: number;
}

/** Thrown by the judge; ends a world. */
export class Violation extends Error {}

/** Runs a plan to its end, or to the first violation. */
export async function run(plan: Plan): Promise<Report> {
  return reportOf(await World.create(plan));
}

/** Lets a world go to its end, or to the first violation. */
export async function reportOf(world: {
  run(): Promise<void>;
  report(violation: string | undefined): Report;
  close(): void;
}): Promise<Report> {
  try {
    await world.run();
    return world.report(undefined);
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return world.report(error.message);
  } finally {
    world.close();
  }
}

export class World {
  readonly clock = new WorldClock(startedAt);
  readonly disk: SimulatedDisk;
  readonly endpoints = new Map<string, Endpoint>();
  readonly plan: Plan;
  program: Program | undefined;
  /** Runs of the program so far. */
  runs = 0;
  /** How often a run ended without being able to write what it knew. */
  crashes = 0;
  #failingSince: number | undefined;
  readonly #judge: Judge;
  readonly #random: Random;
  readonly #history: string[] = [];
  readonly #dropped = new Set<number>();
  readonly #folder: string;
  readonly #switches: Switches;
  readonly #enabledAt = new Map<string, number>();
  readonly #sent = new Map<number, Extract<Happening, { kind: 'send' }>>();
  #events = 0;
  #deletions = 0;
  #violation: Violation | undefined;

  private constructor(plan: Plan, disk: SimulatedDisk) {
    this.plan = plan;
    this.disk = disk;
    this.#random = seeded(plan.seed ^ 0x5eed);
    this.#judge = new Judge(this);
    this.#folder = mkdtempSync(join(tmpdir(), 'evfwd-world-'));
    this.#switches = Switches.open(join(this.#folder, 'switches.json'));
    for (const { urls } of plan.destinations) {
      for (const url of urls) {
        const onRequest = (delivery: Delivery): void => {
          this.#guarded(() => this.#judge.noteRequest(delivery));
        };
        const endpoint = new Endpoint(url, this.clock, () => this.runs, onRequest);
        this.endpoints.set(url.host, endpoint);
      }
    }
  }

  static async create(plan: Plan): Promise<World> {
    return new World(plan, await SimulatedDisk.create());
  }

  close(): void {
    this.program?.kill();
    this.disk.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  report(violation: string | undefined): Report {
    const requests = [...this.endpoints.values()].reduce(
      (sum, { deliveries }) => sum + deliveries.length,
      0,
    );
    return { violation, history: this.#history, events: this.#events, requests };
  }

  note(text: string): void {
    this.#history.push(`${timeText(this.clock.elapsedMs)}  ${text}`);
  }

  async run(): Promise<void> {
    await this.#start();
    this.#checkLater();
    for (const happening of this.plan.happenings) {
      await this.#goTo(happening.at);
      await this.#apply(happening);
    }
    await this.#goTo(Math.max(this.plan.days * day, this.clock.elapsedMs));
    await this.#heal();
    await this.#goTo(this.clock.elapsedMs + calmMs);
    await this.#judge.judgeEnd(this.program!);
    await this.#stop();
  }

  /** Since when nothing can be recorded; undefined while all can. */
  get failingSince(): number | undefined {
    if (this.program?.store.failure === undefined) this.#failingSince = undefined;
    return this.#failingSince;
  }

  /** All destinations as they are configured now. */
  get routing(): Routing {
    const { destinations, sources } = this.plan;
    const configured = destinations.filter((_, index) => !this.#dropped.has(index));
    return {
      destinations: configured.map(({ name, urls }): Destination => ({
        name,
        integrationName: 'Webhooks',
        isEnabled: true,
        allowPrivateNetworks: false,
        signing: signingBy('x-signature', secret),
        endpoints: urls.map(({ host }) => ({ url: `https://${host}/hook` })),
      })),
      sources: sources.map((names, index): Source => ({
        name: `s${index}`,
        writeKey: `key${index}`,
        isEnabled: true,
        destinations: names.filter((name) => !this.#dropped.has(name)).map((name) => `d${name}`),
      })),
    };
  }

  /** Names of the destinations that get what a source sends now. */
  receivers(source: number): string[] {
    const { destinations } = this.#switches.apply(this.routing);
    const names = this.routing.sources[source]!.destinations;
    return destinations
      .filter(({ name, isEnabled }) => isEnabled && names.includes(name))
      .map(({ name }) => name);
  }

  isEnabled(destination: string): boolean {
    const { destinations } = this.#switches.apply(this.routing);
    return destinations.some(({ name, isEnabled }) => name === destination && isEnabled);
  }

  /** When a destination was switched on or configured last. */
  enabledAt(destination: string): number {
    return this.#enabledAt.get(destination) ?? 0;
  }

  #noteEnabled(): void {
    this.#judge.noteStart();
    const now = this.clock.elapsedMs;
    for (const { name } of this.plan.destinations) this.#enabledAt.set(name, now);
  }

  /** Fires all timers up to this time. */
  async #goTo(at: number): Promise<void> {
    await settled();
    while (this.clock.step(at)) {
      await settled();
      if (this.#violation) throw this.#violation;
    }
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#noteViolation(error);
    }
  }

  #noteViolation(error: unknown): void {
    if (!(error instanceof Violation)) throw error;
    this.#violation ??= error;
  }

  #checkLater(): void {
    this.clock.after(checkEveryMs, () => {
      this.#guarded(() => {
        const checked = this.program && this.#judge.check(this.program);
        checked?.catch((error: unknown) => this.#noteViolation(error));
      });
      this.#checkLater();
    });
  }

  async #start(): Promise<void> {
    this.runs++;
    this.#judge.noteStart();
    this.#failingSince = undefined;
    try {
      this.program = await Program.start({
        clock: this.clock,
        disk: this.disk,
        switches: this.#switches,
        alertFile: join(this.#folder, 'alerts.json'),
        random: this.#random,
        endpointOf: (host) => this.endpoints.get(host),
        routing: () => this.routing,
        onDefect: (error) => (this.#violation ??= new Violation(`a defect: ${String(error)}`)),
        onFailure: () => {
          this.#failingSince = this.failingSince ?? this.clock.elapsedMs;
        },
      });
      this.note(`run ${this.runs} starts`);
    } catch (error) {
      // The disk is full, for example: as a supervisor does.
      this.note(`no start: ${(error as Error).message}`);
      this.clock.after(10 * second, () => void this.#start());
    }
  }

  async #stop(): Promise<void> {
    const { program } = this;
    if (!program) return;
    const state = { isStopped: false };
    const stopped = program.stop().then(
      () => undefined,
      (error: unknown) => this.#noteStopFailure(error),
    );
    void stopped.finally(() => (state.isStopped = true));
    await settled();
    // The power may be cut meanwhile.
    while (!state.isStopped && this.program === program) {
      if (!this.clock.step(this.clock.elapsedMs + minute)) throw new Violation('does not stop');
      await settled();
    }
    if (this.program !== program) return;
    await stopped;
    if (program.store.failure !== undefined) this.crashes++;
    this.program = undefined;
    if (program.clock.timers > 0)
      throw new Violation(`${program.clock.timers} timers after a stop`);
    program.kill();
  }

  /** What was not recorded may be sent again. */
  #noteStopFailure(error: unknown): void {
    if (!(error instanceof StateError)) throw error;
    this.note(error.message);
  }

  #kill(): void {
    this.program?.kill();
    this.program = undefined;
    this.crashes++;
  }

  async #apply(happening: Happening): Promise<void> {
    this.note(textOf(happening));
    switch (happening.kind) {
      case 'restart':
        await this.#stop();
        this.#startAfter(happening.downMs);
        break;
      case 'kill':
        this.#kill();
        this.#startAfter(happening.downMs);
        break;
      case 'cut power':
        this.#cutPower(happening.downMs);
        break;
      case 'send':
        this.#sent.set(happening.first, happening);
        this.#send(happening, 0);
        break;
      case 'send again': {
        const sent = this.#sent.get(happening.first);
        if (sent) this.#send(sent, 0);
        break;
      }
      case 'switch':
        this.#switch(happening);
        break;
      case 'reload':
        this.#reload(happening);
        break;
      case 'redeliver':
        this.#redeliver();
        break;
      case 'delete user':
        this.#deleteUser();
        break;
      case 'jump':
        this.clock.jump(happening.byMs);
        this.#judge.noteJump();
        break;
      case 'fill disk':
        this.disk.faults.isFull = true;
        this.clock.after(happening.forMs, () => (this.disk.faults.isFull = false));
        break;
      case 'fail commits':
        this.disk.faults.failingCommits = happening.count;
        break;
      case 'fail flushes':
        this.disk.faults.failingFlushes = happening.count;
        break;
      case 'damage':
        this.#damage();
        break;
    }
  }

  #reload({ destination, change }: Extract<Happening, { kind: 'reload' }>): void {
    if (change === 'drop') this.#dropped.add(destination);
    else this.#dropped.clear();
    this.#noteEnabled();
    this.#wait(this.program?.core.reload());
  }

  /** What an operator or client waits for; the world goes on meanwhile. */
  #wait(done: Promise<unknown> | undefined): void {
    done?.catch(() => undefined);
  }

  #startAfter(ms: number): void {
    if (this.program) return;
    this.clock.after(ms, () => {
      if (!this.program) void this.#start();
    });
  }

  #cutPower(downMs: number): void {
    const cut = (): void => {
      this.disk.faults.cutsPower = undefined;
      this.note('power is cut');
      this.#kill();
      this.disk.cutPower();
      this.#startAfter(downMs);
    };
    // Most cuts are in the middle of a flush.
    if (this.program && this.#random.next() < 0.8) this.disk.faults.cutsPower = cut;
    else cut();
  }

  #switch({ destination, isOn }: Extract<Happening, { kind: 'switch' }>): void {
    const name = `d${destination}`;
    if (this.#dropped.has(destination)) return;
    this.#noteEnabled();
    this.#wait(this.program?.core.operations.switchDestination(name, isOn));
  }

  #redeliver(): void {
    const { program } = this;
    if (!program) return;
    const letters = program.store.views.deadLetters({ limit: 50 });
    this.#judge.noteRedelivered(letters);
    const ids = letters.map(({ key }) => key);
    this.#wait(program.core.operations.redeliver({ ids }));
  }

  #deleteUser(): void {
    const { program } = this;
    if (!program) return;
    const userId = `u${this.#random.whole(0, Math.max(0, this.#events - 1))}`;
    const number = firstDeletion + ++this.#deletions;
    const body = Buffer.from(JSON.stringify({ userId, timestamp: deletionTime(number) }));
    const deleted = program.core.operations.deleteUser(body);
    this.#judge.noteAsked(program, deleted);
    deleted.then(
      ({ deletions }) => {
        if (program !== this.program) return;
        const names = new Set(deletions.flatMap(({ destinations }) => destinations));
        this.#judge.noteAccepted([number], [...names], 'no id');
      },
      () => undefined,
    );
  }

  /**
   * The damaged blocks that still wait for a destination, by their last ids, with how many events of them wait; none
   * that was set aside, which has another number.
   */
  damagedBlocks(destination: string): ReadonlyMap<number, number> {
    const rows = this.disk.prepare(selectDamaged).all(destination);
    return new Map(rows.map((row) => [Number(row.last_id), Number(row.waiting_count)]));
  }

  #damage(): void {
    if (!this.program) return;
    const sql =
      'UPDATE event_block SET entries = substr(entries, 1, 20) WHERE last_id = (SELECT min(last_id) FROM queued_block WHERE destination > 0)';
    this.disk.exec(sql);
  }

  #send(batch: Extract<Happening, { kind: 'send' }>, retries: number): void {
    const { program } = this;
    const sendLater = (): void => {
      if (retries >= clientRetries) return;
      this.clock.after(clientRetryMs, () => this.#send(batch, retries + 1));
    };
    if (!program) {
      sendLater();
      return;
    }
    const names = this.receivers(batch.source);
    const numbers = Array.from({ length: batch.count }, (_, index) => batch.first + index);
    if (retries === 0) this.#events += batch.count;
    this.#judge.noteSending(numbers);
    const body = Buffer.from(
      `{"batch":[${numbers.map((n) => eventText(n, batch.shape)).join(',')}]}`,
    );
    const source = program.core.findSource(`key${batch.source}`);
    if (!source) return;
    const receivedAt = program.clock.now();
    const request = { body, source, queryKey: undefined, isStrict: false, receivedAt };
    const responded = program.collector.collect(request);
    this.#judge.noteAsked(program, responded);
    responded.then(
      () => {
        if (program === this.program) this.#judge.noteAccepted(numbers, names, batch.shape);
      },
      () => undefined,
    );
    this.clock.after(clientRetryMs, () => {
      if (!this.#judge.isAccepted(numbers[0]!)) this.#send(batch, retries + 1);
    });
  }

  /** From now on there is no trouble. */
  async #heal(): Promise<void> {
    this.note('from now on all is well');
    for (const endpoint of this.endpoints.values()) endpoint.heal();
    Object.assign(this.disk.faults, {
      ...{ isFull: false, failingCommits: 0, failingFlushes: 0, cutsPower: undefined },
    });
    this.#dropped.clear();
    for (const destination of this.routing.destinations) this.#switches.set(destination, true);
    this.#noteEnabled();
    if (!this.program) {
      await this.#start();
    } else {
      this.#wait(this.program.core.reload());
    }
    await settled();
  }
}

const selectDamaged = `SELECT q.last_id, q.waiting_count FROM name p
  JOIN queued_block q ON q.destination = p.id JOIN event_block b ON b.last_id = q.last_id
  WHERE p.kind = 'destination' AND p.name = ? AND NOT json_valid(b.entries)`;

/** `2 d 03:04:05.678` since the beginning. */
export function timeText(ms: number): string {
  const time = new Date(Math.floor(ms)).toISOString().slice(11, 23);
  return `${String(Math.floor(ms / day)).padStart(2)} d ${time}`;
}

export function textOf(happening: object): string {
  return Object.entries(happening)
    .filter(([name]) => name !== 'at')
    .map(([name, value]) => (name === 'kind' ? String(value) : `${name} ${String(value)}`))
    .join(', ');
}

/** Notices of deletions have numbers as events have, from this one on; they stand in their timestamps. */
const firstDeletion = 1_000_000_000;
const firstDeletionMs = Date.parse('2026-01-01T00:00:00.000Z');

export function isDeletion(number: number): boolean {
  return number >= firstDeletion;
}

function deletionTime(number: number): string {
  return new Date(firstDeletionMs + number - firstDeletion).toISOString();
}

/** The number of an event is that of its user; of a notice of a deletion, it is told by its timestamp. */
export function numberOf(text: string): number {
  if (!text.includes('"type":"delete"')) return Number(/"userId":"u(\d+)"/.exec(text)?.[1]);
  return firstDeletion + Date.parse(/"timestamp":"([^"]+)"/.exec(text)![1]!) - firstDeletionMs;
}

export type Shape = Extract<Happening, { kind: 'send' }>['shape'];

/** The id that an event brings, if it brings one. */
export function idOf(n: number, shape: Shape): string | undefined {
  if (shape === 'no id') return undefined;
  if (shape !== 'odd id') return `m${n}`;
  return [`${n}\u0000-\u0001`, `${n}${'x'.repeat(90)}`, `é ${n} ü`, `"${n}\\`][n % 4];
}

function eventText(n: number, shape: Shape): string {
  const messageId = idOf(n, shape);
  return JSON.stringify({
    type: 'track',
    userId: `u${n}`,
    event: 'Seen',
    timestamp: '2026-11-01T00:00:00.000Z',
    ...(messageId !== undefined && { messageId }),
    ...(shape === 'large' && { properties: { text: 'x'.repeat(20_000) } }),
  });
}

export function signatureOf(body: string): string {
  return createHmac('sha1', secret).update(body).digest('hex');
}
