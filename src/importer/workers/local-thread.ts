import type { Platform } from '../../delivery/platform.js';
import type { ImportThread, StartedJob } from './job-thread.js';
import { localChannel } from './local-channel.js';
import type { Job } from './messages.js';
import { workThroughRanges } from './range-worker.js';
import { ThreadContext } from './thread-context.js';

/** Works on jobs in the thread that starts them. */
export class LocalThread implements ImportThread {
  readonly #context: ThreadContext;

  constructor(platform?: Platform) {
    this.#context = new ThreadContext(platform);
  }

  start(job: Job): StartedJob {
    const { port1, port2 } = localChannel();
    const died = workThroughRanges(job, port2, this.#context).catch((error: unknown) => {
      port2.close();
      return error;
    });
    return { port: port1, died };
  }

  /** Its jobs end by themselves. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  terminate(): Promise<void> {
    return Promise.resolve();
  }
}
