import { signal } from '@preact/signals';
import type { KeptState, ReplayRow } from '../../../src/api/serve.js';
import type { Service } from '../receive/service.js';
import { progressText } from '../replays/progress.js';

/** The replays of the service, loaded while some run, and when they are asked for. */
export class Replays {
  /** The newest first; undefined before the first load. */
  readonly rows = signal<readonly ReplayRow[] | undefined>(undefined);
  readonly error = signal<string | undefined>(undefined);
  readonly #service: Service;
  readonly #notify: (text: string) => void;
  #isLoading = false;

  constructor(service: Service, notify: (text: string) => void) {
    this.#service = service;
    this.#notify = notify;
  }

  get running(): readonly ReplayRow[] {
    return (this.rows.value ?? []).filter(({ state }) => state === 'running');
  }

  /** The service has reported how many run. */
  update(kept: KeptState | null): void {
    const isRunning = (kept?.runningReplays ?? 0) > 0;
    if (isRunning || this.running.length > 0) void this.load();
  }

  /** An error stays until the next one succeeds. */
  async load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      const { replays } = await this.#service.replays();
      const { running } = this;
      this.rows.value = replays;
      this.error.value = undefined;
      for (const row of replays) {
        const hasEnded = row.state === 'finished' || row.state === 'failed';
        if (hasEnded && running.some(({ id }) => id === row.id)) this.#notifyEnd(row);
      }
    } catch (error) {
      this.error.value = (error as Error).message;
    } finally {
      this.#isLoading = false;
    }
  }

  #notifyEnd(row: ReplayRow): void {
    this.#notify(`Replay to ${row.destination} ${row.state}: ${progressText(row)}`);
  }
}
