import type { IncomingMessage, ServerResponse } from 'node:http';
import { StateError } from '../../errors.js';
import type { RequestHandler } from '../collect/api.js';
import { checkHost } from '../collect/check-host.js';
import { isPathOfService } from '../collect/service-paths.js';
import { Refusal, refusalOf, retryLater } from '../collect/refusal.js';
import type { Reply } from '../collect/reply.js';
import { answerOfRefusal, writeAnswer } from './answer.js';
import { RawReceiver, type RawReceiverOptions } from './receiver.js';
import type { FoundSource, RawPaths } from './paths.js';

export interface RawApiOptions extends RawReceiverOptions {
  /** Those of the current configuration. */
  readonly paths: () => RawPaths;
  /** Called for every refused request, with the name of its source. */
  readonly onRefused: (refusal: Refusal, source?: string) => void;
  /** Whether a connection is closed after its next response. */
  readonly isStopping: () => boolean;
  /** Handles all other requests. */
  readonly next: RequestHandler;
}

/** Takes requests at the paths of raw sources; the service's own paths come first. */
export function rawApi(options: RawApiOptions): RequestHandler {
  const { paths, onRefused, isStopping, next } = options;
  const receiver = new RawReceiver(options);

  const respond = async (
    request: IncomingMessage,
    response: ServerResponse,
    found: FoundSource,
  ): Promise<void> => {
    let answer: Reply;
    try {
      checkHost(request);
      checkCoding(request);
      answer = await receiver.take(request, found);
    } catch (error) {
      const refusal = refusalOfRaw(error);
      onRefused(refusal, found.source.name);
      answer = answerOfRefusal(refusal);
    }
    if (isStopping()) response.shouldKeepAlive = false;
    writeAnswer(request, response, answer);
  };

  return (request, response) => {
    const known = paths();
    const found = known.isEmpty ? undefined : known.find(request.url!);
    if (!found || isPathOfService(request.url!)) next(request, response);
    // A defect costs one connection, not the process.
    else respond(request, response, found).catch(() => response.destroy());
  };
}

/** Of others than chunked, the body would come to the app still encoded, and unmarked. @throws Refusal */
function checkCoding({ headers }: IncomingMessage): void {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') throw unknownCoding;
}

const unknownCoding = new Refusal(
  501,
  'unknown_transfer_encoding',
  'Transfer-Encoding must be chunked',
);

function refusalOfRaw(error: unknown): Refusal {
  if (!(error instanceof StateError)) return refusalOf(error);
  const message = 'the request cannot be stored; send it again later';
  return new Refusal(503, error.code, message, { headers: retryLater, cause: error });
}
