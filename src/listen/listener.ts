import { randomBytes } from 'node:crypto';
import { urlOf } from '../web/address.js';
import { inspectorHandler } from './inspector.js';
import { startReceiver, type StartOptions } from './start-receiver.js';

export interface ListenerOptions extends StartOptions {
  /** The file of the recorder, for people. */
  readonly recordsTo?: string | undefined;
  /** The folder with the built page. Default: next to the program. */
  readonly pageFolder?: string;
}

/** A running receiver with its inspector. */
export interface Listener {
  /** Without a path. */
  readonly url: string;
  /** For calls to the inspector that change something. */
  readonly token: string;
  /** Accepts no new requests; responses in flight may finish, for at most a second. */
  readonly close: () => Promise<void>;
}

/**
 * Starts to listen.
 *
 * @throws UsageError if host and port cannot be listened on, and if requests would be forwarded to it
 */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { host, verification, journal, faults, recordsTo, pageFolder } = options;
  const token = randomBytes(32).toString('hex');
  let port = options.port;
  const inspector = await inspectorHandler({
    host,
    port: () => port,
    url: () => urlOf(host, port),
    token,
    verification,
    journal,
    faults,
    recordsTo: recordsTo ?? null,
    ...(pageFolder !== undefined && { pageFolder }),
  });
  const started = await startReceiver(options, inspector);
  port = started.port;
  return { url: urlOf(host, port), token, close: started.close };
}
