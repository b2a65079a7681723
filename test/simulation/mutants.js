/** Defects that the simulation has to find: `from` becomes `to` in a file of `src/`. */
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
    from: 'else if (this.#isRunning) this.#backlog.putBack(event);',
    to: '',
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
    from: 'if (this.#isRunning) this.#wakeFor(this.#retries.nextAt);',
    to: '',
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
];
