import { UsageError } from '../errors.js';

/** The target, or a part of it, is missing. */
export class MissingTargetError extends UsageError {
  /** What is missing and its flags, for a list of several: `a collector URL (--endpoint or …)`. */
  readonly part: string;

  /** @param why What requires this part, for a target that was chosen by another flag. */
  constructor(what: string, flags: string, why?: string) {
    super(`${why ? `${why}, but there is ` : ''}no ${what}; use ${flags}`, 'no_target');
    this.part = `a ${what} (${flags})`;
  }
}
