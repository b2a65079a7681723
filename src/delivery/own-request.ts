import type { ReceivedExcerpt } from '../http/body-excerpt.js';
import type { EncodedHeaders } from '../http/encoded-headers.js';
import type { Reading } from '../http/response-reader.js';
import type { Verdict } from './outcome.js';

/**
 * A request with a method, path and headers of its own, and perhaps a rule of its own for the response.
 * Without one, an attempt is a POST to the URL of its queue.
 */
export interface OwnRequest {
  /** For display, without its query. */
  readonly url: string;
  readonly reading?: Reading | undefined;
  /** Called at each attempt, since a signature can have the time of its attempt. */
  headers(): EncodedHeaders;
  /** In place of `verdictOfStatus`. */
  verdictOf?(status: number): Verdict;
  /** What the body makes of a response that `verdictOf` takes as delivered; called only with `reading.keptBytes`. */
  verdictOfBody?(received: ReceivedExcerpt): Verdict;
  /** Values that a response may repeat and that must not be shown. */
  secrets(): readonly string[];
}
