import type { Relay } from './relay-template.js';
import { sampleRequest } from './sample-request.js';

/** Commands to paste, one after the other, that use each part of the new file. */
export function nextSteps(platform: NodeJS.Platform): string {
  const steps = [
    ['receive webhooks, in a terminal of its own:', command({ EVFWD_SECRET: secret }, 'listen')],
    [
      'send a signed event to it:',
      command({ LOCAL_SECRET: secret }, 'send --fixture track --profile local'),
    ],
    [
      'run the forwarding service, in a terminal of its own:',
      command({ WEB_WRITE_KEY: writeKey, CRM_SECRET: secret }, 'serve'),
    ],
    [
      'send an event through it, to the webhook of the destination:',
      command({ WEB_WRITE_KEY: writeKey }, 'send --fixture identify --profile service'),
    ],
  ] as const;
  return [
    ...numbered(steps),
    '5. put your own URLs into the file, and secrets of your own into the environment',
  ].join('\n');

  function command(variables: Readonly<Record<string, string>>, call: string): string {
    return withVariables(variables, `evfwd ${call}`, platform);
  }
}

/** The same for the file of `--relay`. */
export function relaySteps(
  { scheme: { name }, variable, trialSecret }: Relay,
  platform: NodeJS.Platform,
): string {
  const forFlags = { EVFWD_SECRET: trialSecret };
  const steps = [
    [
      'receive as your app will, in a terminal of its own:',
      withVariables(forFlags, `evfwd listen --port 3000 --scheme ${name}`, platform),
    ],
    [
      'take webhooks for it, in a terminal of its own:',
      withVariables({ [variable]: trialSecret }, 'evfwd serve', platform),
    ],
    [
      `send what ${name} would; step 1 shows it delivered, and the page http://127.0.0.1:4500/_evfwd/:`,
      sendingOf(name, forFlags, platform),
    ],
  ] as const;
  return [
    ...numbered(steps),
    '4. put the URL of your app into the file, and the secret of the sender into the environment',
  ].join('\n');
}

/** Sends a request as the sender does. */
function sendingOf(
  name: string,
  variables: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): string {
  const { headers, idHeader, body, contentType } = sampleRequest(name);
  const type = contentType === undefined ? '' : ` --content-type ${contentType}`;
  const added = headers.map((header) => ` -H '${header}'`).join('');
  // Another one each time: a repeat would not be passed on.
  const id = idHeader === undefined ? '' : ` -H "${idHeader}: $(node -p 'crypto.randomUUID()')"`;
  const call = `evfwd send --raw - --scheme ${name}${type}${added}${id} --url http://127.0.0.1:4500/in/${name}`;
  if (platform === 'win32') return withVariables(variables, `'${body}' | ${call}`, platform);
  return `printf %s '${body}' | ${withVariables(variables, call, platform)}`;
}

type Step = readonly [what: string, command: string];

function numbered(steps: readonly Step[]): string[] {
  return steps.map(([what, line], i) => `${i + 1}. ${what}\n   ${line}`);
}

function withVariables(
  variables: Readonly<Record<string, string>>,
  line: string,
  platform: NodeJS.Platform,
): string {
  const assign = platform === 'win32' ? inPowerShell : inShell;
  return `${Object.entries(variables).map(assign).join(' ')} ${line}`;
}

/** For a trial on this machine; shown, so not a secret. */
const secret = 'try-me';
const writeKey = 'try-key';

type Variable = readonly [name: string, value: string];

function inShell([name, value]: Variable): string {
  return `${name}=${value}`;
}

function inPowerShell([name, value]: Variable): string {
  return `$env:${name}='${value}';`;
}
