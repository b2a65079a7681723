/**
 * The log of the service; pino implements it. Fields hold names, counts, codes and URLs without
 * their query; never an event, a key or a header value.
 */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
