/** A promise and what resolves it; `Promise.withResolvers` came with Node 22. */
export interface OpenPromise {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

export function withResolvers(): OpenPromise {
  let resolve!: () => void;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
