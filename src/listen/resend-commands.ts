import type { RequestDetail } from '../api/listen.js';
import { printable } from '../output/printable.js';
import { shellWord } from '../output/shell.js';
import { headerNamesOf } from '../sign/schemes/index.js';
import type { Scheme } from '../sign/schemes/scheme.js';
import { curlCommand, type Signing } from '../output/curl-command.js';
import { evfwdCommand } from './evfwd-command.js';
import type { ReceivedRequest } from './received-request.js';
import { schemeOf } from './sign-again.js';
import type { Verification } from '../receive/verification.js';

/**
 * Shell commands that send a request again, to be pasted: `curl` the same bytes with the same
 * headers, `evfwd` its events, signed again, if evfwd accepts them. A signature with a time in it is made
 * anew. Neither contains the shared secret, which `evfwd` reads from its file or from EVFWD_SECRET, and no
 * data of a sender can control the terminal.
 *
 * @param url of this receiver, without a path
 */
export function resendCommands(
  received: ReceivedRequest,
  url: string,
  verification: Verification,
): RequestDetail['commands'] {
  if (received.isTooLarge) return { curl: notKept, evfwd: null, evfwdCommand: null };
  const scheme = schemeOf(received, verification);
  const signing = scheme && signingOf(received, scheme, { url, verification });
  const schemeFlag =
    scheme && scheme.name !== 'x-signature' ? ` --scheme ${shellWord(scheme.name)}` : '';
  return {
    curl: curlCommand(received, url, signing),
    ...evfwdCommand(received, url, schemeFlag),
  };
}

const notKept = '# the body of this request was too large, and was not kept';

interface Context {
  readonly url: string;
  readonly verification: Verification;
}

/** Undefined where the recorded signature does not grow old, or there is none. */
function signingOf(
  { signature, path, method, webhookId }: ReceivedRequest,
  scheme: Scheme,
  { url, verification }: Context,
): Signing | undefined {
  if (scheme.timestamp === undefined || signature === 'missing') return undefined;
  if (webhookId !== null && printable(webhookId) !== webhookId) return undefined;
  const secretFile = verification.ruleFor(path)?.secretFile;
  const words = [
    `evfwd sign --headers --scheme ${shellWord(scheme.name)}`,
    ...(scheme.id && webhookId !== null ? [`--id ${shellWord(webhookId)}`] : []),
    ...(scheme.content.includes('{url}') ? [`--url ${shellWord(url + path)}`] : []),
    ...(scheme.content.includes('{method}') ? [`--method ${method}`] : []),
    ...(secretFile === undefined ? [] : [`--secret-file ${shellWord(secretFile)}`]),
  ];
  return { command: words.join(' '), replaced: new Set(headerNamesOf(scheme)) };
}
