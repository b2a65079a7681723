import { randomBytes } from 'node:crypto';
import { urlOf } from '../web/address.js';
import type { Faults } from './fault-plan.js';
import { inspectorHandler } from './inspector.js';
import type { Journal } from './journal.js';
import { Receiver, type ReceiverOptions } from './receiver.js';
import type { Recorder } from './recorder.js';

export interface ListenerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Checks signatures, and signs what is sent again; without one neither happens. */
  readonly secret?: string | Buffer | undefined;
  readonly faults: Faults;
  /** Learns of every request. */
  readonly journal: Journal;
  readonly recorder?: Recorder | undefined;
  /** The file of the recorder, for people. */
  readonly recordsTo?: string | undefined;
  /** Where the page was built to. Default: beside the program. */
  readonly pageFolder?: string;
  readonly onNote?: ReceiverOptions['onNote'];
  readonly patience?: ReceiverOptions['patience'];
}

/** A receiver with its inspector, at work. */
export interface Listener {
  /** Without a path. */
  readonly url: string;
  /** For calls to the inspector that change something. */
  readonly token: string;
  /** Takes nothing new; answers that are on their way may finish, for a second at most. */
  readonly close: () => Promise<void>;
}

/**
 * Starts to listen.
 *
 * @throws UsageError when host and port cannot be listened on
 */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { host, secret, journal, faults, recorder, recordsTo, pageFolder } = options;
  const token = randomBytes(32).toString('hex');
  let port = options.port;
  const inspector = await inspectorHandler({
    host,
    port: () => port,
    url: () => urlOf(host, port),
    token,
    secret,
    journal,
    faults,
    recordsTo: recordsTo ?? null,
    ...(pageFolder !== undefined && { pageFolder }),
  });
  const receiver = new Receiver({
    host,
    port,
    run: randomBytes(4).toString('hex'),
    secret,
    faults,
    journal,
    recorder,
    inspector,
    ...(options.onNote && { onNote: options.onNote }),
    ...(options.patience && { patience: options.patience }),
  });
  port = await receiver.listen();
  return { url: urlOf(host, port), token, close: () => receiver.close() };
}
