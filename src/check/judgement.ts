import type { Exchange } from './exchange.js';

/** What a check found; the level of the check makes a verdict of it. */
export interface Judgement {
  /**
   * `failed` is a failure of a must and a warning of a should; `warned` is a warning at either level;
   * `noted` is information at each.
   * `unjudged` means that the endpoint left open what had to be found out, and `inapplicable` that there
   * is nothing to find out: only the first makes a run incomplete.
   */
  readonly found: 'passed' | 'failed' | 'warned' | 'noted' | 'unjudged' | 'inapplicable';
  /** One sentence in lower case without a period: what came, or why it cannot be judged. No secrets. */
  readonly message: string;
  /** The request and the response that show it. */
  readonly evidence?: Exchange | undefined;
}

type Make = (message: string, evidence?: Exchange) => Judgement;

const make =
  (found: Judgement['found']): Make =>
  (message, evidence) => ({ found, message, evidence });

export const passed = make('passed');
export const failed = make('failed');
export const warned = make('warned');
export const noted = make('noted');
export const unjudged = make('unjudged');
export const inapplicable = make('inapplicable');
