import { randomUUID } from 'node:crypto';
import type { Outgoing } from '../../delivery/target.js';
import { UsageError } from '../../errors.js';
import { requestSigner, type RequestToSign } from '../../sign/request-signer.js';
import { RawRequest } from '../raw/raw-request.js';
import type { RawSource } from '../raw/source.js';
import { eventOf } from '../store/stored.js';
import type { Destination, Source } from '../types.js';

/** What a test sends to a destination. */
export interface TestOutgoing {
  readonly outgoing: Outgoing;
  /** Undefined for an event. A request is signed anew, or as its sender would. */
  readonly request: { readonly isSigned: boolean } | undefined;
}

/**
 * An event; or a request, for a destination that gets only those of raw sources.
 *
 * @param now milliseconds since 1970
 */
export function testOutgoing(
  { name, resign }: Pick<Destination, 'name' | 'resign'>,
  sources: readonly Source[],
  now: number,
): TestOutgoing {
  const messageId = `evfwd-test-${randomUUID()}`;
  const own = sources.filter((source) => source.destinations.includes(name));
  const [raw] = own.flatMap((source) => source.raw ?? []);
  if (!raw || own.some((source) => !source.raw)) {
    const event = eventOf(Buffer.from(eventText(now)), 'test');
    return { outgoing: { event, stamp: { messageId, writesMessageId: true } }, request: undefined };
  }
  const { event, isSigned } = testRequest(raw, messageId, now);
  return {
    outgoing: { event, stamp: { messageId, writesMessageId: false } },
    request: { isSigned: isSigned || resign !== undefined },
  };
}

function eventText(now: number): string {
  const timestamp = new Date(now).toISOString();
  return `{"type":"track","userId":"evfwd-test","event":"Test Event","timestamp":"${timestamp}"}`;
}

/** As if it had come to the path of the source itself. */
function testRequest(source: RawSource, id: string, now: number) {
  const path = source.path.replace(/\/\*$/, '') || '/';
  const content = { type: 'evfwd.test', id, timestamp: new Date(now).toISOString() };
  const body = Buffer.from(JSON.stringify(content));
  const contentType = 'application/json';
  const signature = signatureOf(source, {
    ...{ body, id, nowMs: now, method: 'POST', url: path, contentType },
  });
  const event = RawRequest.of(
    {
      ...{ method: 'POST', path, sourcePathLength: path.length, remoteAddress: null, isTls: false },
      headers: ['Content-Type', contentType, ...signature.flat()],
      ...{ signature: 'unchecked', scheme: null, reason: null },
    },
    body,
    'test',
  );
  return { event, isSigned: signature.length > 0 };
}

/** The headers of its sender; none where they depend on its URL, or its secrets only verify. */
function signatureOf(
  { scheme, secrets }: RawSource,
  request: RequestToSign,
): readonly (readonly [name: string, value: string])[] {
  const [secret] = secrets;
  if (scheme === 'auto' || secret === undefined) return [];
  try {
    const signer = requestSigner({ scheme, secrets: [secret] }, 'test');
    return signer.needsUrl ? [] : signer.sign(request).headers;
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
}
