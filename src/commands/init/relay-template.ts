import { presets } from '../../sign/schemes/index.js';
import type { Scheme } from '../../sign/schemes/scheme.js';

/** The senders of `--relay`: those whose scheme is a preset. */
export const relaySenders: readonly string[] = [...presets.keys()];

/** A sender, as the texts of a relay name it. */
export interface Relay {
  readonly scheme: Scheme;
  /** The variable of its secret. */
  readonly variable: string;
  /** For a trial on this machine, in the form of the scheme; shown, so not a secret. */
  readonly trialSecret: string;
}

/** @param sender one of `relaySenders` */
export function relayOf(sender: string): Relay {
  const scheme = presets.get(sender)!;
  const isBase64 = scheme.versions[0]!.secret.encoding === 'base64';
  return {
    scheme,
    variable: `${sender.toUpperCase().replaceAll('-', '_')}_SECRET`,
    trialSecret: isBase64 ? 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' : 'try-me',
  };
}

/** Senders whose first request wants a part of its body as the response. */
const handshakes: ReadonlySet<string> = new Set(['slack', 'twitch']);

/** A condition that lets some of a sender's webhooks through; null where all that differs is in forms, which none sees. */
const conditions: Readonly<Record<string, string | null>> = {
  github: 'header.x-github-event=push',
  'github-sha1': 'header.x-github-event=push',
  shopify: 'header.x-shopify-topic~orders/*',
  stripe: 'body.type~invoice.*',
  slack: 'body.event.type=message',
  twitch: 'header.twitch-eventsub-subscription-type~stream.*',
  twilio: null,
};

function signsUrl(content: string): boolean {
  return content.includes('{url}');
}

/** A configuration for the webhooks of one sender. It is valid as it is, and works on one machine. */
export function relayTemplate({ scheme, variable }: Relay): string {
  const { name } = scheme;
  const isPathSigned = signsUrl(scheme.content);
  const { [name]: condition = 'body.type~invoice.*' } = conditions;
  const lines = [
    `# The webhooks of ${name} through evfwd serve: verified, stored before they are answered, and passed`,
    '# on until your app has them. Secrets stay outside: ${NAME} is a value of the environment.',
    '# How to put it in front of an app: https://github.com/evfwd/evfwd/blob/main/docs/relay.md',
    '',
    'sources:',
    `  ${name}:`,
    '    type: raw',
    `    # The sender posts to https://<your host>/in/${name}`,
    `    path: /in/${name}`,
    '    # How it signs: https://github.com/evfwd/evfwd/blob/main/docs/schemes.md',
    `    scheme: ${name}`,
    `    secret: \${${variable}}`,
    '    # 401 for a signature that is missing, wrong or too old; false: taken, and the verdict noted.',
    '    enforce: true',
    ...(handshakes.has(name)
      ? [
          '    # Its first request wants the challenge of its body as the response; it is passed on, too.',
          `    respond: ['path=/in/${name},type=text/plain,body={body.challenge}']`,
        ]
      : ['    # respond: { status: 202 }']),
    '    destinations: [app]',
    '',
    'destinations:',
    '  app:',
    '    endpoints:',
    ...(isPathSigned
      ? [
          '      # The URL that the sender posts to is signed: with the same path, the app can check it by',
          '      # X-Forwarded-Proto and X-Forwarded-Host.',
          `      - url: http://127.0.0.1:3000/in/${name}`,
        ]
      : [
          `      # Without a path it gets what stands behind /in/${name}; one with a path is used as it is.`,
          `      - url: http://127.0.0.1:3000/webhooks/${name}`,
        ]),
    ...(condition === null
      ? []
      : [
          '        # Only some of them; what is not wanted is answered, and not passed on.',
          `        # where: ['${condition}']`,
        ]),
    '        # timeout: 5s',
    '        # rate: 20/s',
    '    # Needed for this machine and private networks only; remove it for a public URL.',
    '    allowPrivateNetworks: true',
    ...resigning(scheme, variable),
    '    # How long one request is retried after its first attempt, at most 7d.',
    '    retryWindow: 72h',
    '    # One signed POST when the app is down for so long, when it is back, and for dead letters.',
    '    # alerts: { url: https://chat.example.com/hook, after: 15m }',
  ];
  return `${lines.join('\n')}\n`;
}

function resigning({ name, toleranceMs, content }: Scheme, variable: string): string[] {
  const resign = `resign: { scheme: ${name}, secret: \${${variable}} }`;
  if (signsUrl(content)) {
    return [
      '    # The signature of the sender goes along. To sign anew, for the URL above and the secret of the app:',
      `    # ${resign}`,
    ];
  }
  if (toleranceMs === undefined) {
    return [
      `    # The signature of the sender goes along. To sign anew, for an app with a secret of its own:`,
      `    # ${resign}`,
    ];
  }
  return [
    `    # The signature has a time: what is delivered ${toleranceMs / 60_000} minutes later would be refused, so each attempt`,
    '    # is signed anew. The app may have a secret of its own.',
    `    ${resign}`,
  ];
}
