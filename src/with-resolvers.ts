/** A promise with its resolve function; Node 20 has no `Promise.withResolvers`. */
export interface OpenPromise {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

export function withResolvers(): OpenPromise {
  let resolve!: () => void;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
