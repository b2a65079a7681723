import { codeOfResult } from '../../delivery/describe.js';
import type { EndpointNotice } from '../../delivery/endpoint-notice.js';
import { withoutQuery } from '../../http/url.js';
import type { RangeItem } from '../../importer/shared/item.js';
import type { PlannedTarget } from '../../importer/shared/plan.js';
import type { RunRecord, RunSnapshot } from '../../importer/shared/run-record.js';
import type { ItemEnd } from '../../importer/shared/worker/held-item.js';
import type { WorkerListener } from '../../importer/shared/worker/worker-listener.js';
import { count, countOf, msText } from '../../output/numbers.js';
import { printable } from '../../output/printable.js';
import { shortReason } from '../../output/reason-text.js';
import type { Paint } from '../../output/text.js';
import type { Io } from '../shared/command.js';
import { say } from '../shared/output.js';
import type { WorkerFlags } from './flags.js';

/** What `worker` prints on standard error. */
export class WorkerReport implements WorkerListener {
  readonly #flags: Pick<WorkerFlags, 'quiet' | 'verbose'>;
  readonly #io: Io;
  readonly #paint: Paint;
  /** Lines about files, which every range of a file would repeat. */
  readonly #failures = new Set<string>();

  constructor(flags: Pick<WorkerFlags, 'quiet' | 'verbose'>, io: Io, paint: Paint) {
    this.#flags = flags;
    this.#io = io;
    this.#paint = paint;
  }

  ready(worker: string, server: string): void {
    this.#say(`worker ${printable(worker)} on ${server}: waiting for runs`);
  }

  joined({ id, plan }: RunRecord): void {
    const urls = urlsOf(plan.target).map(printable).join(', ');
    this.#say(`${this.#run(id)}: joined: ${countOf(plan.files.length, 'file')} to ${urls}`);
  }

  refused({ id }: RunRecord, why: string): void {
    this.#say(`${this.#run(id)}: ${this.#paint.yellow('not joined')}: ${printable(why)}`);
  }

  url(url: string, notice: EndpointNotice, forMs: number): void {
    this.#say(`${url}: ${urlText(notice, forMs)}`);
  }

  failed({ id }: RunRecord, path: string | undefined, message: string): void {
    const place = path === undefined ? '' : `${printable(path)}: `;
    const line = `${this.#run(id)}: ${this.#paint.red('failed')}: ${place}${printable(message)}`;
    if (this.#failures.has(line)) return;
    this.#failures.add(line);
    say(this.#io, line);
  }

  range({ id, plan }: RunRecord, { file, from, to }: RangeItem, end?: ItemEnd): void {
    if (!this.#flags.verbose) return;
    const { path: whole = '', rowGroups } = plan.files[file] ?? {};
    const path = printable(whole);
    const unit = rowGroups ? 'rows' : 'bytes';
    const part = to === null ? 'the whole file' : `${unit} ${count(from)} to ${count(to)}`;
    this.#say(
      `${this.#run(id)}: ${path}: ${part}: ${end === undefined ? 'begins' : endTexts[end]}`,
    );
  }

  held({ id }: RunRecord, isHeld: boolean, waiting: number): void {
    const what = `reading paused until some of ${count(waiting)} waiting events have been retried`;
    this.#say(`${this.#run(id)}: ${isHeld ? what : 'reading on'}`);
  }

  left({ id }: RunRecord, snapshot: RunSnapshot | undefined): void {
    this.#say(`${this.#run(id)}: ${snapshot ? this.#endText(snapshot) : 'was removed'}`);
  }

  interrupted(): void {
    this.#say('interrupted: finishing in-flight requests; press Ctrl-C again to quit now');
  }

  /** Reports the lines that the reader of the log did not accept. */
  unwritten(log: string, lines: number): void {
    const what = countOf(lines, 'line is', 'lines are');
    say(
      this.#io,
      `evfwd: --log ${printable(log)}: ${what} missing at its end; the reader did not accept them within 500 ms of Ctrl-C`,
    );
  }

  ended(givenBack: number): void {
    this.#say(givenBack === 0 ? 'ended' : `ended; gave back ${countOf(givenBack, 'part')}`);
  }

  abandoned(server: string): void {
    const what = `${server} is not available: what is in hand cannot be given back`;
    say(this.#io, `evfwd: ${what}; its leases end, and other workers continue it`);
  }

  #endText({ record, stats, ranges }: RunSnapshot): string {
    const { status, stopReason } = record;
    if (status === 'paused')
      return `paused${stopReason === null ? '' : `: ${printable(stopReason)}`}`;
    if (status !== 'finished') return status;
    const counts = ['delivered', 'failed', 'rejected', 'skipped'].map(
      (name) => `${count(stats[name] ?? 0)} ${name}`,
    );
    if (ranges.failed > 0) counts.push(countOf(ranges.failed, 'part failed', 'parts failed'));
    return `${this.#paint.green('finished')}: ${counts.join(', ')}`;
  }

  #run(id: string): string {
    return `run ${this.#paint.bold(printable(id))}`;
  }

  #say(text: string): void {
    if (!this.#flags.quiet) say(this.#io, text);
  }
}

const endTexts: Readonly<Record<ItemEnd, string>> = {
  done: 'done',
  stopped: 'given back',
  lost: 'lost, as the store did not hear from this worker in time; another one continues it',
  failed: 'failed',
};

function urlText(notice: EndpointNotice, forMs: number): string {
  if (notice.kind === 'gone') return 'returned 410 Gone; nothing more is sent to it in this run';
  if (notice.kind === 'up') return 'reachable again';
  if (notice.kind === 'paused') return `paused for ${msText(forMs)} (Retry-After)`;
  const why = notice.reason ? ` (${shortReason(codeOfResult(notice.reason))})` : '';
  return `unreachable${why}; probing once per second until it recovers`;
}

function urlsOf(target: PlannedTarget): string[] {
  const urls =
    target.kind === 'collector' ? [target.endpoint] : target.endpoints.map(({ url }) => url);
  return urls.map((url) => (URL.canParse(url) ? withoutQuery(url) : ''));
}
