/**
 * Why a source cannot be read on, as a part of a message: `the zstd data is truncated`. `advice` is the
 * next step: `fix the file and run again`.
 */
export class SourceError extends Error {
  readonly advice: string | undefined;

  constructor(reason: string, { advice, cause }: { advice?: string; cause?: unknown } = {}) {
    super(reason, { cause });
    this.advice = advice;
  }
}
