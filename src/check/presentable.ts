import { headerSecrets, redactionOf, type Redaction } from '../delivery/redaction.js';
import { curlCommand } from '../output/curl-command.js';
import { shellWord } from '../output/shell.js';
import type { Exchange, ProbeRequest, ProbeResponse } from './exchange.js';
import type { CheckResult } from './check.js';
import type { ReportedResult } from './result.js';
import { secretForms } from './secret-forms.js';
import type { CheckSettings } from './settings.js';

/** What a result shows of a result: secrets are masked in everything that came back. */
export function presentable(
  { message, evidence }: CheckResult,
  settings: CheckSettings,
): Pick<ReportedResult, 'message' | 'evidence' | 'curl' | 'sharedCurl'> {
  const redaction = redactionFor(settings);
  const shown = latin1(message, redaction);
  if (!evidence) return { message: shown };
  const { request } = evidence;
  return {
    message: shown,
    evidence: masked(evidence, redaction),
    ...(canRepeat(request) && {
      curl: curlOf(request, settings),
      sharedCurl: sharedCurlOf(request, settings),
    }),
  };
}

/** Written reports are passed on: they hold no static headers, and no token of a handshake. */
function sharedCurlOf(request: ProbeRequest, settings: CheckSettings): string {
  const curl = curlOf(withoutHeaderValues(request, settings), settings);
  return latin1(curl, redactionOf([...tokensOf(settings), ...sampleSecrets(settings)]));
}

function tokensOf({ handshake }: CheckSettings): string[] {
  const { token } = handshake ?? {};
  if (token === undefined) return [];
  // In a query a space is a plus sign.
  return [token, new URLSearchParams([['', token]]).toString().slice(1)];
}

/** Hides the secrets of a check. */
export function redactionFor(settings: CheckSettings): Redaction {
  const { signing, headers } = settings;
  const values = headers.flatMap(([, value]) => headerSecrets(value));
  const secrets = signing ? [...signing.secrets, ...secretForms(signing)] : [];
  return redactionOf([...secrets, ...tokensOf(settings), ...values, ...sampleSecrets(settings)]);
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

/** Short values occur in texts by chance. */
function sampleSecrets({ sender }: CheckSettings): string[] {
  return sender.secrets.flatMap(headerSecrets).filter((text) => text.length >= 4);
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
  const text = request.body.toString('utf8');
  if (!text.includes('\n')) return curlCommand(parts, origin, undefined, flags);
  const withoutBody = { ...parts, body: Buffer.alloc(0) };
  return `${printed(text)} | ${curlCommand(withoutBody, origin, undefined, flags)} --data-binary @-`;
}

/** A command that prints a text. Reports indent and wrap commands, so its newlines are escapes. */
function printed(text: string): string {
  const format = text.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll('\n', '\\n');
  return `printf ${shellWord(format)}`;
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
