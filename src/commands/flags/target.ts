import { byEnvironment, checkProxy } from '../../config/proxy-setting.js';
import { defaults } from '../../defaults.js';
import { checkBodyForm, type BodyForm } from '../../webhook/body-form.js';
import { collect, collectHeader, parseDuration, parseTimeout } from '../shared/flag-values.js';
import { flag, type Flag } from './flag.js';
import { signingFlags } from './signing.js';

export const urlFlag = flag('--url <url>', 'webhook URL, up to 5 (repeatable; env: EVFWD_URL)', {
  parse: collect,
  variable: 'EVFWD_URL',
  repeated: 'retry',
});

export const headerFlag = flag(
  '-H, --header <header>',
  "static header 'Name: value', up to 5 (repeatable)",
  { parse: collectHeader, secret: 'header', repeated: 'retry' },
);

/** How connections are made. */
export const connectionFlags = {
  ca: flag('--ca <file>', 'additional CA certificates (PEM)', { repeated: 'retry' }),
  cert: flag(
    '--cert <file>',
    'client certificate (PEM), for servers that require one; needs --key',
    {
      needs: {
        flag: '--key',
        reason: 'the file with its private key (PEM; it may be the same file)',
      },
      repeated: 'retry',
    },
  ),
  key: flag('--key <file>', 'private key of --cert (PEM, not encrypted)', {
    needs: { flag: '--cert', reason: 'the file with its certificate (PEM)' },
    repeated: 'retry',
  }),
};

export const proxyFlag = flag(
  '--proxy <url>',
  'HTTP proxy, or env to read HTTPS_PROXY, HTTP_PROXY and NO_PROXY',
  { parse: parseProxy, values: [byEnvironment], secret: 'url', repeated: 'retry' },
);

export const allUrlsFlag = flag('--all-urls', 'require every URL to succeed (default: any one)', {
  repeated: 'retry',
});

export const timeoutFlag = flag(
  '--timeout <duration>',
  `response timeout (default: ${defaults.timeout})`,
  { parse: parseTimeout, repeated: 'retry' },
);

/** @param what is retried @param most the default */
export function retryWindowFlag(what: 'an event' | 'a request', most: string): Flag {
  return flag('--retry-window <duration>', `how long to retry ${what} (default: ${most})`, {
    parse: parseDuration,
    repeated: 'retry',
  });
}

export const profileFlags = {
  config: flag('--config <file>', 'configuration file (env: EVFWD_CONFIG)', {
    once: true,
    variable: 'EVFWD_CONFIG',
    repeated: 'retry',
  }),
  profile: flag('-p, --profile <name>', 'target from the configuration file (env: EVFWD_PROFILE)', {
    once: true,
    variable: 'EVFWD_PROFILE',
    completes: 'profiles',
    repeated: 'retry',
  }),
};

export const collectorFlags = {
  writeKey: flag('--write-key <key>', 'write key of a collector (env: EVFWD_WRITE_KEY)', {
    once: true,
    secret: 'value',
    variable: 'EVFWD_WRITE_KEY',
  }),
  endpoint: flag('--endpoint <url>', 'collector URL (env: EVFWD_ENDPOINT)', {
    once: true,
    variable: 'EVFWD_ENDPOINT',
    repeated: 'retry',
  }),
};

/** The target of commands that send events. @param retryWindow the default of `--retry-window` */
export function targetFlags(retryWindow: string): Record<string, Flag> {
  return {
    url: urlFlag,
    header: headerFlag,
    ...signingFlags,
    ...collectorFlags,
    timeout: timeoutFlag,
    retryWindow: retryWindowFlag('an event', retryWindow),
    ...connectionFlags,
    proxy: proxyFlag,
    allUrls: allUrlsFlag,
    body: flag(
      '--body <form>',
      "request body: webhook, or original for the event's own text (default: webhook)",
      {
        parse: (text): BodyForm => checkBodyForm(text, '--body'),
        values: ['webhook', 'original'],
        repeated: 'retry',
      },
    ),
    ignoreIntegrations: flag('--ignore-integrations', 'send events that turn off webhooks, too', {
      identity: (isOn: boolean | undefined) => isOn ?? false,
      repeated: 'retry',
    }),
    ...profileFlags,
  };
}

function parseProxy(text: string): string {
  checkProxy(text, '--proxy');
  return text;
}
