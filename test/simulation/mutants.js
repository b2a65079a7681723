/**
 * Defects that the simulation has to find: `from` becomes `to` in a file of `src/`. `only`: which program has it.
 */
export const mutants = [
  {
    name: 'sends what it cannot record',
    file: 'serve/forward/destination-queue.ts',
    from: 'if (this.#options.store.failure !== undefined) {',
    to: 'if (Math.random() > 1) {',
  },
  {
    name: 'acknowledges before the flush',
    file: 'storage/group-commit.ts',
    from: 'await this.#options.file.flush();',
    to: 'this.#options.file.flush().catch(() => undefined);',
  },
  {
    name: 'forgets what is handed back',
    file: 'serve/forward/destination-queue.ts',
    from: 'if (this.#isRunning) this.#backlog.putBack(event);',
    to: '',
  },
  {
    name: 'forgets a retry that was given back',
    file: 'serve/forward/destination-queue.ts',
    from: 'this.#retries.returned(event.id);',
    to: 'this.#retries.ended(event.id);',
  },
  {
    name: 'sends to its other URLs what was handed back',
    file: 'delivery/delivery.ts',
    from: 'if (endpointDelivery.attempts > 0 || this.#interrupted)',
    to: 'if (endpointDelivery.attempts > 0)',
  },
  {
    name: 'ignores pauses',
    file: 'delivery/endpoint-queue.ts',
    from: 'if (this.#pause.isActive) return false;',
    to: '',
  },
  {
    name: 'never wakes up for a retry',
    file: 'serve/forward/destination-queue.ts',
    from: 'delayMs));\n    if (this.#isRunning) this.#wakeFor(this.#retries.nextAt);',
    to: 'delayMs));',
  },
  {
    name: 'retries after the window',
    file: 'delivery/endpoint-state.ts',
    from: 'return attempts > 0 && now - lateMs > firstAt + policy.windowMs;',
    to: 'return false && attempts + firstAt + lateMs + now > policy.windowMs;',
  },
  {
    name: 'sends what waits for a connection when a commit fails',
    file: 'serve/forward/forwarder.ts',
    from: 'for (const queue of this.#queues.values()) queue.handBack();',
    to: '',
  },
  {
    name: 'takes a repeated id for another event',
    file: 'serve/store/ingest-change.ts',
    from: 'return this.#context.seen.note(source, stamp.messageId, destinations);',
    to: 'this.#context.seen.note(source, stamp.messageId, destinations);\n    return destinations;',
  },
  {
    name: 'counts what was set aside as waiting',
    file: 'serve/store/damaged-rows.ts',
    from: 'this.#lengths.add(destination, -events, -Number(row.retrying));',
    to: '',
  },
  {
    name: 'sets aside nothing',
    file: 'serve/store/event-queue.ts',
    from: 'this.damaged.write();',
    to: '',
  },
  {
    name: 'waits for retries after a commit failed',
    only: 'import',
    file: 'importer/pipeline.ts',
    from: 'if (this.#hasStopped()) return;\n      await',
    to: 'await',
  },
  {
    name: 'forgets dead letters that a kill has left in the store',
    only: 'import',
    file: 'ledger/committer.ts',
    from: 'deadLetters.recover(store.deadLetters());',
    to: '',
  },
  {
    name: 'lets the next event of a user go before the retry',
    only: 'import',
    file: 'importer/pipeline.ts',
    from: 'if (!outcome.retry) order?.release(user);',
    to: 'order?.release(user);',
  },
  {
    name: 'forgets what waited for a retry in an earlier run',
    only: 'import',
    file: 'commands/import/threads.ts',
    from: 'retries: this.#coordinator.retries[thread]!',
    to: 'retries: []',
  },
  {
    name: 'forgets lines that a thread has not read',
    only: 'import',
    file: 'importer/workers/range-tracker.ts',
    from: 'const open = this.#workers.flatMap((worker) => [...worker.open, ...unread(worker)]);',
    to: 'const open = this.#workers.flatMap((worker) => [...worker.open]);',
  },
  {
    name: 'reads again what is in the checkpoint',
    only: 'import',
    file: 'importer/workers/range-tracker.ts',
    from: 'return isHere && lengthNow(range, before) !== before.length ? before.line - 1 : before.line;',
    to: 'return isHere ? 0 : 0;',
  },
];
