/** What is used of a `MessagePort`. */
export interface JobPort {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  close(): void;
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as a MessagePort, it trusts who listens
  on<T>(name: 'message', listener: (message: T) => void): unknown;
  once(name: 'close', listener: () => void): unknown;
}

/**
 * Two ports like those of a `MessageChannel`, for a job in the same thread: messages are not copied, so who
 * posts one must not change it afterwards, and need no turn of the event loop.
 */
export function localChannel(): { readonly port1: JobPort; readonly port2: JobPort } {
  const [port1, port2] = [new LocalPort(), new LocalPort()];
  port1.other = port2;
  port2.other = port1;
  return { port1, port2 };
}

class LocalPort implements JobPort {
  other!: LocalPort;
  /** Not delivered yet: messages wait for a listener, and for the code that posts them. */
  #messages: unknown[] = [];
  #onMessage: ((message: never) => void) | undefined;
  #onClose: () => void = () => undefined;
  #isClosed = false;

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as above
  on<T>(_name: 'message', listener: (message: T) => void): void {
    this.#onMessage = listener;
    queueMicrotask(() => this.#deliver());
  }

  once(_name: 'close', listener: () => void): void {
    this.#onClose = listener;
  }

  postMessage(message: unknown): void {
    if (!this.#isClosed) this.other.#receive(message);
  }

  /** Closes both, after the delivery of what was posted. */
  close(): void {
    for (const port of [this, this.other]) port.#close();
  }

  #receive(message: unknown): void {
    this.#messages.push(message);
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    if (!this.#onMessage) return;
    for (const message of this.#messages.splice(0)) this.#onMessage(message as never);
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    queueMicrotask(() => this.#onClose());
  }
}
