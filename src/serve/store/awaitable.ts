/** A value that one engine of a store has at once, and another one has to ask for. */
export type Awaitable<T> = T | Promise<T>;
