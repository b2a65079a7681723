import type { Clock } from '../../clock.js';
import type { WebhookConnections } from '../../webhook/connections.js';

/** How long unused connections stay open: the next job may come soon. */
const keptMs = 1_000;

interface Shared {
  readonly connections: Promise<WebhookConnections | undefined>;
  jobs: number;
  cancelClose: () => void;
}

/** Connections that jobs of one thread share, by their group. */
export class SharedConnections {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #shared = new Map<string, Shared>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Returns the connections of this group; the first to ask for them opens them. Each caller must `leave`. */
  join(
    group: string,
    open: () => Promise<WebhookConnections | undefined>,
  ): Promise<WebhookConnections | undefined> {
    const shared = this.#shared.get(group) ?? this.#add(group, open());
    shared.jobs++;
    shared.cancelClose();
    return shared.connections;
  }

  leave(group: string): void {
    const shared = this.#shared.get(group);
    if (!shared || --shared.jobs > 0) return;
    const close = (): void => void this.#close(group, shared);
    shared.cancelClose = this.#clock.after(keptMs, close, { keepsAlive: false });
  }

  #add(group: string, connections: Shared['connections']): Shared {
    const shared = { connections, jobs: 0, cancelClose: () => undefined };
    this.#shared.set(group, shared);
    return shared;
  }

  async #close(group: string, { connections }: Shared): Promise<void> {
    this.#shared.delete(group);
    // Who has joined has the error.
    const opened = await connections.catch(() => undefined);
    await opened?.close();
  }
}
