import { UsageError } from '../errors.js';
import type { EditedRequest } from '../api/listen.js';
import { isHeaderName, isHeaderValue } from '../http/header-rules.js';
import { printable } from '../output/printable.js';
import type { ReceivedRequest } from './received-request.js';

/**
 * A request with other headers and another body.
 *
 * @throws UsageError for a header that HTTP cannot carry
 */
export function editedRequest(received: ReceivedRequest, edited: EditedRequest): ReceivedRequest {
  for (const [name, value] of edited.headers) checkHeader(name, value);
  const body =
    edited.bodyBase64 === undefined
      ? Buffer.from(edited.body ?? '')
      : Buffer.from(edited.bodyBase64, 'base64');
  return { ...received, headers: edited.headers.flat(), body, isTooLarge: false };
}

function checkHeader(name: string, value: string): void {
  if (!isHeaderName(name)) {
    throw new UsageError(`headers: ${JSON.stringify(printable(name))} is not a valid header name`);
  }
  if (!isHeaderValue(value)) {
    throw new UsageError(`headers: the value of ${name} has a character that HTTP cannot carry`);
  }
}
