import { collect } from '../shared/collect.js';
import { flag, type Flag } from './flag.js';

/** The shared secret, of commands that make or check signatures. */
export const secretFlags = {
  secret: flag(
    '--secret <secret>',
    'shared secret, visible to other users of this machine (repeatable: newest first)',
    { parse: collect, secret: 'value', variable: 'EVFWD_SECRET', repeated: 'retry' },
  ),
  secretFile: flag(
    '--secret-file <path>',
    'file with the shared secret (repeatable: newest first; env: EVFWD_SECRET)',
    { parse: collect, variable: 'EVFWD_SECRET', repeated: 'retry' },
  ),
};

export const schemeFlag = flag(
  '--scheme <name>',
  'signature scheme (default: x-signature; env: EVFWD_SCHEME)',
  { once: true, variable: 'EVFWD_SCHEME', completes: 'schemes', repeated: 'retry' },
);

/** Of commands that sign what they send: one way to sign, or two. */
export const signingFlags = {
  ...secretFlags,
  scheme: schemeFlag,
  alsoScheme: flag('--also-scheme <name>', 'sign by a second scheme, too, e.g. for a migration', {
    once: true,
    completes: 'schemes',
    repeated: 'retry',
  }),
  alsoSecretFile: flag(
    '--also-secret-file <path>',
    'file with the secret of --also-scheme (default: the same secret)',
    { once: true, needs: { flag: '--also-scheme' }, repeated: 'retry' },
  ),
};

/** Of commands that can find the scheme out by the headers of a request. */
export const detectedSchemeFlag: Flag = { ...schemeFlag, values: ['auto'] };

/** The configuration file, of commands that need only its signature schemes. */
export const schemesFileFlag: Flag = flag(
  '--config <file>',
  'configuration file with own schemes (env: EVFWD_CONFIG)',
  { once: true, variable: 'EVFWD_CONFIG' },
);

/** Methods that completion offers. */
export const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'] as const;
