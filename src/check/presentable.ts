import { headerSecrets, redactionOf, type Redaction } from '../delivery/redaction.js';
import { curlCommand } from '../listen/curl-command.js';
import { shellArgument, shellWord } from '../output/shell.js';
import type { Exchange, ProbeRequest, ProbeResponse } from './exchange.js';
import type { Judgement } from './judgement.js';
import type { CheckResult } from './result.js';
import { secretForms } from './secret-forms.js';
import type { CheckSettings } from './settings.js';

/** What a result shows of a judgement: secrets are masked in everything that came back. */
export function presentable(
  { message, evidence }: Judgement,
  settings: CheckSettings,
): Pick<CheckResult, 'message' | 'evidence' | 'curl' | 'sharedCurl'> {
  const redaction = redactionFor(settings);
  const shown = latin1(message, redaction);
  if (!evidence) return { message: shown };
  const { request } = evidence;
  return {
    message: shown,
    evidence: masked(evidence, redaction),
    ...(canRepeat(request) && {
      curl: curlOf(request, settings),
      sharedCurl: curlOf(withoutHeaderValues(request, settings), settings),
    }),
  };
}

function redactionFor({ signing, headers }: CheckSettings): Redaction {
  const values = headers.flatMap(([, value]) => headerSecrets(value));
  const secrets = signing ? [...signing.secrets, ...secretForms(signing)] : [];
  return redactionOf([...secrets, ...values]);
}

function masked({ response, error, ...exchange }: Exchange, redaction: Redaction): Exchange {
  return {
    ...exchange,
    ...(response && { response: maskedResponse(response, redaction) }),
    ...(error !== undefined && { error: latin1(error, redaction) }),
  };
}

function maskedResponse(response: ProbeResponse, redaction: Redaction): ProbeResponse {
  const { headers, body, bodyEnd } = response;
  const mask = bodyEnd === 'complete' ? redaction.all : redaction.beginning;
  return {
    ...response,
    headers: headers.map((text) => redaction.all(text)),
    body: Buffer.from(mask(body.toString('latin1')), 'latin1'),
  };
}

/** The redaction reads texts of one character per byte. */
function latin1(text: string, { all }: Redaction): string {
  return Buffer.from(all(Buffer.from(text).toString('latin1')), 'latin1').toString();
}

/** curl cannot stop in the middle of a body. */
function canRepeat({ transfer, isRepeatable = true }: ProbeRequest): boolean {
  return isRepeatable && transfer !== 'cut';
}

function withoutHeaderValues(request: ProbeRequest, { headers }: CheckSettings): ProbeRequest {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  return {
    ...request,
    headers: request.headers.map(([name, value]) => [
      name,
      names.has(name.toLowerCase()) ? '***' : value,
    ]),
  };
}

function curlOf(request: ProbeRequest, { curlFlags = [] }: CheckSettings): string {
  const { origin, pathname, search } = new URL(request.url);
  const parts = { ...request, path: pathname + search, headers: request.headers.flat() };
  const flags = ['-sS -i', ...transferFlags(request), ...curlFlags];
  return onOneLine(curlCommand(parts, origin, undefined, flags), request.body);
}

/** Reports indent and wrap a command: a newline inside of a quoted body has to be an escape to survive that. */
function onOneLine(command: string, body: Buffer): string {
  const text = body.toString('utf8');
  return text.includes('\n')
    ? command.replace(shellWord(text), () => shellArgument(text))
    : command;
}

function transferFlags({ transfer, body }: ProbeRequest): string[] {
  switch (transfer) {
    case 'chunked':
      return [`-H 'Transfer-Encoding: chunked'`];
    case 'slow':
      return [`--limit-rate ${Math.ceil(body.length / 2)}`];
    case 'continue':
      return [`-H 'Expect: 100-continue'`];
    default:
      return [];
  }
}
