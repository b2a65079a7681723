import type { Violation } from '../rules.js';

/** Thrown within a map for a record that cannot become an event. */
export class MapViolation extends Error {
  readonly violation: Violation;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'MapViolation';
    this.violation = { code, message };
  }
}

const maxShown = 40;

/** The beginning of a value of the record, for a message. */
export function shown(text: string): string {
  return JSON.stringify(text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);
}
