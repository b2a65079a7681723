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
  const lines = steps.map(([what, line], i) => `${i + 1}. ${what}\n   ${line}`);
  return [
    ...lines,
    '5. put your own URLs into the file, and secrets of your own into the environment',
  ].join('\n');

  function command(variables: Readonly<Record<string, string>>, call: string): string {
    const assign = platform === 'win32' ? inPowerShell : inShell;
    return `${Object.entries(variables).map(assign).join(' ')} evfwd ${call}`;
  }
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
