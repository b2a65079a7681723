import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateError } from '../../src/errors.js';
import { seeded, type Random } from '../../src/fixtures/random.js';
import type { CommitStep } from '../../src/ledger/committer.js';
import { WorldClock } from './clock.js';
import { SimulatedDisk } from './disk.js';
import { Endpoint, type Delivery } from './endpoints.js';
import { ImportJudge } from './import-judge.js';
import { lineOf } from './import-lines.js';
import type { ImportHappening, ImportPlan } from './import-plan.js';
import { ImportProgram, type ImportEnd } from './import-program.js';
import { day, hour, minute } from './plan.js';
import { settled } from './settle.js';
import { reportOf, startedAt, textOf, timeText, Violation, type Report } from './world.js';

/** When an import that ended with an error is run again. */
const againMs = minute;
const steps: readonly CommitStep[] = ['before', 'committed', 'dead-letters-written'];

/** Runs a plan to its end, or to the first violation. */
export async function runImport(plan: ImportPlan): Promise<Report> {
  return reportOf(new ImportWorld(plan, await SimulatedDisk.create()));
}

class ImportWorld {
  readonly clock = new WorldClock(startedAt);
  readonly #plan: ImportPlan;
  readonly #disk: SimulatedDisk;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #judge: ImportJudge;
  readonly #random: Random;
  readonly #history: string[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'evfwd-world-'));
  readonly #paths: readonly string[];
  #program: ImportProgram | undefined;
  #runs = 0;
  #crashes = 0;
  /** The last run that could not write what it knew. */
  #lastCrash = 0;
  #hasJumped = false;
  /** At which step of a commit the next kill is. */
  #killAt: { readonly step: CommitStep; readonly downMs: number } | undefined;
  /** When to run the command again that was interrupted. */
  #interruptedFor: number | undefined;
  #end: ImportEnd | undefined;
  #violation: Violation | undefined;

  constructor(plan: ImportPlan, disk: SimulatedDisk) {
    this.#plan = plan;
    this.#disk = disk;
    disk.flushMs = plan.flushMs;
    this.#random = seeded(plan.seed ^ 0x5eed);
    this.#paths = this.#writeFiles();
    this.#judge = new ImportJudge(plan, {
      crashes: () => this.#crashes,
      hasCrashedSince: (run) => this.#lastCrash >= run,
      hasJumped: () => this.#hasJumped,
      pauseOf: (host) => this.#endpoints.get(host)?.pause,
    });
    for (const url of plan.destinations[0]!.urls) {
      const onRequest = (delivery: Delivery): void => this.#noteRequest(delivery);
      const endpoint = new Endpoint(url, this.clock, () => this.#runs, onRequest);
      this.#endpoints.set(url.host, endpoint);
    }
  }

  close(): void {
    this.#program?.kill();
    this.#disk.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  report(violation: string | undefined): Report {
    const endpoints = [...this.#endpoints.values()];
    const requests = endpoints.reduce((sum, { deliveries }) => sum + deliveries.length, 0);
    const events = this.#plan.files.reduce((sum, lines) => sum + lines, 0);
    return { violation, history: this.#history, events, requests };
  }

  async run(): Promise<void> {
    this.#start();
    for (const happening of this.#plan.happenings) {
      await this.#goTo(happening.at);
      if (this.#isOver) break;
      this.#note(textOf(happening));
      this.#apply(happening);
    }
    await this.#goTo(this.#plan.days * day);
    this.#heal();
    await this.#goTo(this.clock.elapsedMs + this.#plan.retryWindowMs + 10 * hour + this.#rateMs);
    if (!this.#end) throw new Violation('the import does not end');
    this.#judge.judgeEnd(this.#end.counts, this.#deadLetterPath);
  }

  /** How long the rate makes it last. */
  get #rateMs(): number {
    const { rate, files } = this.#plan;
    const lines = files.reduce((sum, count) => sum + count, 0);
    return rate === null ? 0 : (2_000 * lines) / rate;
  }

  get #isOver(): boolean {
    return this.#end !== undefined;
  }

  get #deadLetterPath(): string {
    return join(this.#folder, 'dead-letters.ndjson');
  }

  #writeFiles(): string[] {
    let n = 0;
    return this.#plan.files.map((count, file) => {
      const path = join(this.#folder, `part-${file}.ndjson`);
      const lines = Array.from({ length: count }, () => `${lineOf(n++, this.#plan).text}\n`);
      writeFileSync(path, lines.join(''));
      return path;
    });
  }

  #note(text: string): void {
    this.#history.push(`${timeText(this.clock.elapsedMs)}  ${text}`);
  }

  async #goTo(at: number): Promise<void> {
    await settled();
    while (!this.#isOver && this.clock.step(at)) {
      await settled();
      if (this.#violation) throw this.#violation;
    }
    if (this.#violation) throw this.#violation;
  }

  #noteRequest(delivery: Delivery): void {
    try {
      this.#judge.noteRequest(delivery);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      this.#violation ??= error;
    }
  }

  #start(): void {
    if (this.#program || this.#isOver) return;
    this.#runs++;
    this.#note(`run ${this.#runs} starts`);
    const program = new ImportProgram({
      plan: this.#plan,
      paths: this.#paths,
      deadLetterPath: this.#deadLetterPath,
      clock: this.clock,
      disk: this.#disk,
      random: this.#random,
      endpointOf: (host) => this.#endpoints.get(host),
      onStep: (step) => this.#onStep(step),
    });
    this.#program = program;
    program.ended.then(
      (end) => this.#noteEnd(program, end),
      (error: unknown) => this.#noteFailure(program, error),
    );
  }

  #noteEnd(program: ImportProgram, end: ImportEnd): void {
    if (this.#program !== program) return;
    this.#program = undefined;
    if (program.clock.timers > 0)
      this.#violation ??= new Violation(`${program.clock.timers} timers after the end`);
    program.kill();
    this.#note(`run ${this.#runs} ends, ${end.pending} pending`);
    if (this.#interruptedFor !== undefined) this.#startAfter(this.#interruptedFor);
    else if (end.pending === 0) this.#end = end;
    else this.#violation ??= new Violation(`ends with ${end.pending} events pending`);
    this.#interruptedFor = undefined;
  }

  #noteFailure(program: ImportProgram, error: unknown): void {
    if (this.#program !== program) return;
    this.#note(`run ${this.#runs} fails: ${(error as Error).message}`);
    if (!(error instanceof StateError))
      this.#violation ??= new Violation(`a defect: ${(error as Error).stack}`);
    this.#kill();
    this.#startAfter(againMs);
  }

  #startAfter(ms: number): void {
    this.clock.after(ms, () => this.#start());
  }

  #kill(): void {
    this.#program?.kill();
    this.#program = undefined;
    this.#interruptedFor = undefined;
    this.#crashes++;
    this.#lastCrash = this.#runs;
  }

  /** Mostly in the middle of a flush. */
  #cutPower(downMs: number): void {
    const { faults } = this.#disk;
    const cut = (): void => {
      faults.cutsPower = undefined;
      this.#note('power is cut');
      this.#kill();
      this.#disk.cutPower();
      this.#startAfter(downMs);
    };
    if (this.#program && this.#random.next() < 0.8) faults.cutsPower = cut;
    else cut();
  }

  #onStep(step: CommitStep): void {
    const kill = this.#killAt;
    if (kill?.step !== step || !this.#program) return;
    this.#killAt = undefined;
    this.#note(`killed: ${step}`);
    this.#kill();
    this.#startAfter(kill.downMs);
    throw new Error('the process has ended');
  }

  #apply(happening: ImportHappening): void {
    const { faults } = this.#disk;
    switch (happening.kind) {
      case 'interrupt':
        if (!this.#program) break;
        this.#interruptedFor = happening.downMs;
        this.#program.interrupt();
        break;
      case 'kill':
        this.#kill();
        this.#startAfter(happening.downMs);
        break;
      case 'kill in a commit':
        this.#killAt = { step: steps[happening.step]!, downMs: happening.downMs };
        break;
      case 'cut power':
        this.#cutPower(happening.downMs);
        break;
      case 'jump':
        this.clock.jump(happening.byMs);
        this.#hasJumped = true;
        break;
      case 'fill disk':
        faults.isFull = true;
        this.clock.after(happening.forMs, () => (faults.isFull = false));
        break;
      case 'fail commits':
        faults.failingCommits = happening.count;
        break;
      case 'fail flushes':
        faults.failingFlushes = happening.count;
        break;
    }
  }

  /** From now on there is no trouble. */
  #heal(): void {
    this.#note('from now on all is well');
    for (const endpoint of this.#endpoints.values()) endpoint.heal();
    Object.assign(this.#disk.faults, {
      ...{ isFull: false, failingCommits: 0, failingFlushes: 0, cutsPower: undefined },
    });
    this.#killAt = undefined;
    this.#start();
  }
}
