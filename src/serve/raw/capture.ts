import { capturedBody, capturedHeaders } from '../../receive/capture-members.js';
import type { StoredCapture } from '../../api/serve.js';
import type { RawRequest } from './raw-request.js';
import { shownId } from './repeat-id.js';

/** What the service knows of a request besides its text. */
export interface CaptureNotes {
  readonly messageId: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

/** A request as a capture, which `replay`, `verify-sig --requests` and `listen` know. @throws Error if it is damaged */
export function captureOfRaw(
  request: RawRequest,
  { messageId, receivedAt }: CaptureNotes,
): StoredCapture {
  const { method, path, headers, signature, scheme, reason } = request.head;
  return {
    type: 'request',
    id: shownId(messageId),
    receivedAt: new Date(receivedAt).toISOString(),
    ...{ method, path, headers: capturedHeaders(headers) },
    ...capturedBody(request.body),
    signature,
    ...(scheme !== null && { scheme }),
    ...(reason !== null && { reason }),
  };
}
