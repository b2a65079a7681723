/**
 * Where the service tells what happens: pino, or whatever has these. Fields hold names, counts, codes
 * and URLs without their query; never an event, a key or the value of a header.
 */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
