import type { Clock } from '../../clock.js';
import type { WebhookConnections } from '../../webhook/connections.js';

/** How long unused connections stay open: the next job may come soon. */
const keptMs = 1_000;

interface Shared {
  readonly connections: Promise<WebhookConnections | undefined>;
  jobs: number;
  cancelClose: () => void;
}

/** Connections that jobs of one thread share, by the name that the jobs have for them. */
export class SharedConnections {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #shared = new Map<string, Shared>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Returns the connections of this name; the first to ask for them opens them. Each caller must `leave`. */
  join(
    name: string,
    open: () => Promise<WebhookConnections | undefined>,
  ): Promise<WebhookConnections | undefined> {
    const shared = this.#shared.get(name) ?? this.#add(name, open());
    shared.jobs++;
    shared.cancelClose();
    return shared.connections;
  }

  leave(name: string): void {
    const shared = this.#shared.get(name);
    if (!shared || --shared.jobs > 0) return;
    const close = (): void => void this.#close(name, shared);
    shared.cancelClose = this.#clock.after(keptMs, close, { keepsAlive: false });
  }

  #add(name: string, connections: Shared['connections']): Shared {
    const shared = { connections, jobs: 0, cancelClose: () => undefined };
    this.#shared.set(name, shared);
    return shared;
  }

  async #close(name: string, { connections }: Shared): Promise<void> {
    this.#shared.delete(name);
    // Who has joined has the error.
    const opened = await connections.catch(() => undefined);
    await opened?.close();
  }
}
