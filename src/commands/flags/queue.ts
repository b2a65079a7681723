import { flag } from './flag.js';

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
