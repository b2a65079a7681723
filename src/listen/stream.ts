import type { ServerResponse } from 'node:http';
import type { FaultPlan } from '../api/listen.js';
import { EventStream, type Feed } from '../web/event-stream.js';
import type { Journal } from './journal.js';
import { rowOf } from './row.js';

/** The server-sent events of the inspector; `StreamMessages` has their names and data. */
export class Stream {
  readonly #stream: EventStream;

  constructor(journal: Journal) {
    const feed: Feed = {
      name: 'rows',
      after(sequence, limit) {
        const received = journal.kept.after(sequence, limit);
        return { last: received.at(-1)?.sequence ?? sequence, rows: received.map(rowOf) };
      },
    };
    const stream = new EventStream([feed]);
    journal.watch({
      added: () => stream.flushSoon(),
      reset: () => {
        stream.skipTo(feed, journal.last);
        stream.broadcast('reset', {});
      },
    });
    this.#stream = stream;
  }

  /** Adds a response, whose headers are not sent yet, until its connection ends. */
  add(response: ServerResponse): void {
    this.#stream.add(response);
  }

  publishFaults(plan: FaultPlan): void {
    this.#stream.broadcast('faults', plan);
  }
}
