import type { RequestToVerify } from '../verdict.js';
import { urlWithBodyDigest } from '../twilio.js';
import type { ChangedRequest } from './hypothesis.js';

const form = ['Content-Type', 'application/x-www-form-urlencoded'];

/** How Twilio may have signed another kind of body than the one that was received. */
export function* twilioVariants(request: RequestToVerify): Generator<ChangedRequest> {
  const { headers, url, body } = request;
  if (url === undefined) return;
  yield {
    changed: { ...request, url: urlWithBodyDigest(url, body) },
    hypothesis: {
      fact: 'the signed URL has bodySHA256 in its query',
      step: 'send a form with its Content-Type, or judge by the URL that the sender calls (--url)',
    },
  };
  const others = headers.filter((_, i) => !isContentType(headers[i - (i % 2)]!));
  yield {
    changed: { ...request, headers: [...others, ...form] },
    hypothesis: { fact: 'the body is a form', step: `send it with ${form.join(': ')}` },
  };
  yield {
    changed: { ...request, headers: [...others, ...form], body: Buffer.alloc(0) },
    hypothesis: {
      fact: 'the URL is signed alone',
      step: 'sign the fields of a form behind the URL, or the URL with bodySHA256 in its query',
    },
  };
}

function isContentType(name: string): boolean {
  return name.toLowerCase() === 'content-type';
}
