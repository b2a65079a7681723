import { flag, type Flag } from './flag.js';

/** Of every command that uses a store on PostgreSQL. */
export const storeFlags = {
  store: flag('--store <url>', 'PostgreSQL that machines share, postgres:// (env: EVFWD_STORE)', {
    secret: 'password',
    variable: 'EVFWD_STORE',
    repeated: 'store',
  }),
  storeSchema: flag('--store-schema <name>', 'schema of its tables (default: evfwd)', {
    repeated: 'store',
  }),
  storeCa: flag('--store-ca <file>', 'CA certificates (PEM) for its TLS', { repeated: 'store' }),
  requireDurable: flag('--require-durable', 'refuse a server that may lose data in a crash'),
};

/** Of a flag that makes no sense with workers on other machines; `advice`: what to do instead. */
export function notShared(name: string, advice: string): NonNullable<Flag['excludes']> {
  return {
    '--store': (source) => `${name} cannot be used with ${source}: ${advice}${unsetText(source)}`,
  };
}

/** For somebody who may not know that the variable is set. @param source the flag or the variable */
export function unsetText(source: string): string {
  return source === storeFlags.store.name ? '' : `, or unset ${source}`;
}
