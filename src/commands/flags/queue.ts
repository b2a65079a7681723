import { flag, type Flag } from './flag.js';

/** What all keys on the server begin with, unless `--queue-prefix` says otherwise. */
export const defaultPrefix = 'evfwd';

/** Of every command that uses a queue. */
export const queueFlags = {
  queue: flag('--queue <url>', 'Redis server, redis:// or rediss:// (env: EVFWD_QUEUE)', {
    secret: 'url',
    variable: 'EVFWD_QUEUE',
    repeated: 'queue',
  }),
  queuePrefix: flag(
    '--queue-prefix <name>',
    `what all keys begin with (default: ${defaultPrefix})`,
    { repeated: 'queue' },
  ),
  queueCa: flag('--queue-ca <file>', 'more CA certificates (PEM) for rediss://, beside --ca', {
    repeated: 'queue',
  }),
  requireDurable: flag('--require-durable', 'refuse a server that may lose data in a crash'),
};

/** Of a flag that makes no sense with workers on other machines; `advice`: what to do instead. */
export function notShared(name: string, advice: string): NonNullable<Flag['excludes']> {
  return {
    '--queue': (source) => `${name} cannot be used with ${source}: ${advice}${unsetText(source)}`,
  };
}

/** For somebody who may not know that the variable is set. @param source the flag or the variable */
export function unsetText(source: string): string {
  return source === queueFlags.queue.name ? '' : `, or unset ${source}`;
}
