import type { CauseName } from './causes.js';
import type { Level } from './options.js';
import type { CheckSettings } from './settings.js';
import type { Prober } from './prober.js';
import type { SnippetName } from './fix-files.js';
import type { Exchange } from './exchange.js';

/**
 * When a check runs: `connect` before any event, `accept` next; then `exclusive`, with nothing beside it, and
 * `parallel`, all at once; `load` when those are done, and `observe`, which judges what the others saw.
 */
export type Stage = 'connect' | 'accept' | 'exclusive' | 'parallel' | 'load' | 'observe';

/** One thing that a good endpoint does. All texts are plain sentences without markup. */
export interface Check {
  /** `group.name`, or `group.name.variant`. */
  readonly id: string;
  readonly level: Level | ((settings: CheckSettings) => Level);
  /** For the reference, where the level depends on the run: `required with --probe, else information`. */
  readonly levelText?: string;
  readonly stage: Stage;
  /** What a good endpoint does: `Refuses an event without a signature`. */
  readonly title: string;
  /** What is sent, for `--dry-run` and the reference: `an event without its signature header`. */
  readonly sends: string;
  /** How many requests it sends; 0 if it judges those of others. */
  readonly requests: number | ((settings: CheckSettings) => number);
  /** When it passes: `400, 401 or 403`. */
  readonly passes: string;
  /** Why it matters, with the source of the rule. */
  readonly why: string;
  /** How to fix it, in one or two sentences. */
  readonly fix: string;
  /** The same in code, for each framework. Default: a whole handler. */
  readonly snippet?: SnippetName | undefined;
  /** What it has in common with other checks: those that do not pass are one finding. */
  readonly cause?: CauseName;
  /** It waits for seconds: it starts before the others of its stage. */
  readonly takesLong?: true;
  /** Why it does not apply to this endpoint; undefined if it does. It is then `na`, and nothing is sent. */
  readonly skipIf?: (settings: CheckSettings) => string | undefined;
  /**
   * Sends its events in the stage `parallel`, if it judges those of others, too: `evaluate` is then called in
   * the stage `observe`. Not called if the session has ended.
   */
  readonly send?: (prober: Prober) => Promise<void>;
  evaluate(prober: Prober): Promise<CheckResult>;
}

export function levelOf({ level }: Check, settings: CheckSettings): Level {
  return typeof level === 'function' ? level(settings) : level;
}

/** The part of an id before its first dot. */
export function groupOf({ id }: Pick<Check, 'id'>): string {
  return id.slice(0, id.indexOf('.'));
}

/** What a check found; the level of the check makes a verdict of it. */
export interface CheckResult {
  /**
   * `failed` is a failure of a must and a warning of a should; `warned` is a warning at either level;
   * `noted` is information at each.
   * `inconclusive` means that the endpoint left open what had to be found out, and `notApplicable` that there
   * is nothing to find out: only the first makes a run incomplete.
   */
  readonly outcome: 'passed' | 'failed' | 'warned' | 'noted' | 'inconclusive' | 'notApplicable';
  /** One sentence in lower case without a period: what came, or why it cannot be judged. No secrets. */
  readonly message: string;
  /** The request and the response that show it. */
  readonly evidence?: Exchange | undefined;
}

type Make = (message: string, evidence?: Exchange) => CheckResult;

const make =
  (outcome: CheckResult['outcome']): Make =>
  (message, evidence) => ({ outcome, message, evidence });

export const passed = make('passed');
export const failed = make('failed');
export const warned = make('warned');
export const noted = make('noted');
export const inconclusive = make('inconclusive');
export const notApplicable = make('notApplicable');
