import { type Check, failed, passed, inconclusive, type CheckResult } from '../check.js';
import { described, isForged, type Exchange } from '../exchange.js';
import { sendForged, signingOf, withHeader } from '../forgery.js';
import type { Prober } from '../prober.js';
import { withoutSecret } from '../scheme-needs.js';
import { redactionOf } from '../../delivery/redaction.js';
import type { SigningSettings } from '../../sign/request-signer.js';
import { secretForms } from '../secret-forms.js';

export const leakCheck: Check = {
  id: 'sign.leak',
  level: 'must',
  stage: 'observe',
  title: 'Reveals nothing when it refuses an event',
  sends: 'an event without a signature; it looks at the responses to the other forged events, too',
  requests: 1,
  passes:
    'no response to a forged event has the right signature, the secret or a stack trace in it',
  why: 'A response that contains the expected signature lets anyone sign any event. A stack trace reveals paths, versions and code.',
  fix: 'Return 401 with an empty body or a fixed text. Turn debug pages off, and write details to your own log.',
  snippet: 'errors',
  skipIf: withoutSecret,
  // A request of this check, so that there is a response to look at when it is the only check.
  send: async (prober) => {
    await sendForged(prober, prober.event(), (draft) => withHeader(draft, undefined));
  },
  evaluate: (prober) =>
    Promise.resolve(evaluateForged(prober.session.exchanges.filter(isForged), prober)),
};

/** A server error is not an acceptance either, and shows the most. A rate limit has not looked at the event. */
function isRefused({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 400 && response.status !== 429;
}

function evaluateForged(sent: readonly Exchange[], prober: Prober): CheckResult {
  const refused = sent.filter(isRefused);
  for (const exchange of refused) {
    const leak = leakOf(exchange, signingOf(prober));
    if (leak === undefined) continue;
    return failed(
      `the response to a forged event has ${leak} in it: ${described(exchange)}`,
      exchange,
    );
  }
  if (refused.length === 0) return inconclusive('no forged event was refused');
  return passed(`${refused.length} refusals reveal nothing`);
}

/** What a response tells that its request did not: words for a message, never the thing itself. */
type Leak = 'the expected signature' | 'the secret' | 'a stack trace';

/** What the response to a forged request gives away. */
function leakOf(exchange: Exchange, signing: SigningSettings): Leak | undefined {
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

/** How stack traces look, by language; also in HTML and in JSON, where lines are joined. */
const forms: readonly RegExp[] = [
  // JavaScript: `at f (/app/hook.js:12:3)`, `at node:events:518:28`; Rust: `panicked at src/main.rs:12:5`
  /\bat (?:async )?(?:[^\n()]{1,120}\()?[^\s()]{0,200}(?:[./\\]|node:)[^\s()]{0,200}:\d+:\d+/,
  // Python
  /\bTraceback\b/,
  // Go
  /\bgoroutine \d+ \[/,
  /\.go:\d+ \+0x[\da-f]/,
  // Java, Kotlin, Scala
  /\bat [\w.$<>/]{1,200}\((?:\w+\.(?:java|kt|scala|groovy):\d+|Native Method|Unknown Source)\)/,
  // .NET
  /\.(?:cs|vb|fs):line \d+/,
  // Ruby: `app/hooks.rb:12:in`
  /\.rb:\d+:in\b/,
  // PHP: `#0 /srv/hook.php(12): f()`, `in /srv/hook.php on line 12`, `/srv/hook.php:12`; Laravel in JSON
  /#\d+ \S{1,200}\.php\(\d+\)/,
  /\.php(?:<\/b>)? on line (?:<b>)?\d/,
  /\.php:\d+/,
  /\.php",\s*"line":\s*\d/,
];

/** Whether a text has a stack trace in it. */
export function hasStackTrace(text: string): boolean {
  return forms.some((form) => form.test(text));
}
