import { randomBytes } from 'node:crypto';
import type { Faults } from './fault-plan.js';
import { Forwarder, type ForwarderOptions } from './forward/forwarder.js';
import { refuseLoop } from './forward/refuse-loop.js';
import type { Journal } from './journal.js';
import { Receiver, type Handler, type ReceiverOptions } from './receiver.js';
import type { Recorder } from './recorder.js';
import type { RespondRule } from '../receive/rules/respond-rule.js';
import { stages } from './stages/index.js';
import type { Verification } from '../receive/verification.js';

export interface StartOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Checks signatures, and has the secrets that sign replayed requests. */
  readonly verification: Verification;
  readonly faults: Faults;
  /** Answers 401 to every request whose signature is not valid. Default: false. */
  readonly isEnforced?: boolean | undefined;
  /** Recognizes repeats. Default: false. */
  readonly isDeduped?: boolean | undefined;
  /** The first whose path fits answers. Default: none. */
  readonly respond?: readonly RespondRule[] | undefined;
  /** Where requests are passed on to. Default: nowhere. */
  readonly forward?: Pick<ForwarderOptions, 'url' | 'timeoutMs'> | undefined;
  /** Records every request. */
  readonly journal: Journal;
  readonly recorder?: Recorder | undefined;
  readonly memory?: ReceiverOptions['memory'];
  readonly onNote?: ReceiverOptions['onNote'];
  readonly timeouts?: ReceiverOptions['timeouts'];
}

/** A receiver that listens. */
export interface Started {
  readonly port: number;
  /** Accepts no new requests; responses in flight may finish, for at most a second. */
  readonly close: () => Promise<void>;
}

/**
 * Starts to receive.
 *
 * @param inspector handles requests below `/_evfwd/`
 * @throws UsageError if host and port cannot be listened on, and if requests would be forwarded to it
 */
export async function startReceiver(options: StartOptions, inspector: Handler): Promise<Started> {
  const { host, verification, faults, journal, recorder, memory, onNote, timeouts } = options;
  const forwarder = options.forward && new Forwarder(options.forward);
  const receiver = new Receiver({
    host,
    port: options.port,
    run: randomBytes(4).toString('hex'),
    verification,
    stages: stages({
      faults,
      verification,
      isEnforced: options.isEnforced ?? false,
      isDeduped: options.isDeduped ?? false,
      respond: options.respond ?? [],
      forwarder,
    }),
    closeStages: () => forwarder?.close(),
    journal,
    recorder,
    memory,
    inspector,
    ...(onNote && { onNote }),
    ...(timeouts && { timeouts }),
  });
  const port = await receiver.listen();
  if (options.forward) await refuseOwnUrl(options.forward.url, { host, port, receiver });
  return { port, close: () => receiver.close() };
}

/** Only now the port is known. */
async function refuseOwnUrl(
  url: string,
  { host, port, receiver }: { host: string; port: number; receiver: Receiver },
): Promise<void> {
  try {
    await refuseLoop(url, host, port);
  } catch (error) {
    await receiver.close();
    throw error;
  }
}
