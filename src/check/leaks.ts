import { redactionOf } from '../delivery/redaction.js';
import type { SigningSettings } from '../sign/request-signer.js';
import type { Exchange } from './exchange.js';
import { secretForms } from './secret-forms.js';
import { hasStackTrace } from './stack-trace.js';

/** What a response tells that its request did not: words for a message, never the thing itself. */
export type Leak = 'the expected signature' | 'the secret' | 'a stack trace';

/** What the response to a forged request gives away. */
export function leakOf(exchange: Exchange, signing: SigningSettings): Leak | undefined {
  const came = responseText(exchange);
  const went = requestText(exchange);
  const tells = (text: string) => holds(came, text) && !holds(went, text);
  const signatures = exchange.request.rightSignatures ?? [];
  if (signatures.flatMap(inEitherCase).some(tells)) return 'the expected signature';
  const forms = secretForms(signing).filter((form) => !word.test(form));
  if (forms.some(tells)) return 'the secret';
  return hasStackTrace(came) && !hasStackTrace(went) ? 'a stack trace' : undefined;
}

/** Whether a text has another in it, in any form in which an echo repeats it. */
function holds(text: string, part: string): boolean {
  return redactionOf([part]).all(text) !== text;
}

/** Of Latin-1 characters, one per byte. */
function responseText({ response }: Exchange): string {
  return response ? `${response.headers.join('\n')}\n\n${response.body.toString('latin1')}` : '';
}

function requestText({ request: { url, headers, body } }: Exchange): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return `${url}\n${lines.join('\n')}\n\n${body.toString('latin1')}`;
}

/** Hex, that is; no text of Base64 is the same in uppercase and lowercase. */
function inEitherCase(signature: string): string[] {
  return /^[\da-f]+$/.test(signature) ? [signature, signature.toUpperCase()] : [signature];
}

/** Words occur in texts by chance: `secret`, `invalid test signature`. */
const word = /^[a-z]{1,8}$/i;
