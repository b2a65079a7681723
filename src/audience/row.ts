import type { Origin, Problem } from '../events/event.js';
import type { Violation } from '../events/rules.js';

/** What a list contains: the members of an audience, or a value per user. */
export type AudienceKind = 'sync' | 'trait';

/** How to read a list. */
export interface ListOptions {
  /** As the user gave it. */
  readonly file: string;
  readonly kind: AudienceKind;
  /** The trait that the rows are for. */
  readonly property: string;
}

/** One user of a list. */
export interface Row {
  /** Identifies the user: the characters of the id, so that `"7"` and `7` are the same user. */
  readonly user: Buffer;
  /** The id as JSON text, as it is sent. */
  readonly id: Buffer;
  /** The value of the trait as JSON text. */
  readonly value: Buffer;
  readonly origin: Origin;
  /** The line as in the list. */
  readonly bytes: Buffer;
  /** Whether `bytes` is JSON text. */
  readonly isJson: boolean;
}

/** Splits the bytes of a list into rows and problems; one per format. */
export interface RowReader {
  /** @throws UsageError when the list as a whole cannot be read. */
  push(chunk: Buffer): (Row | Problem)[];
  /** The rows that are completed by the end of the list. */
  end(): (Row | Problem)[];
  /** How many lines have ended so far. */
  readonly linesRead: number;
}

export const isMember: Buffer = Buffer.from('true');
export const isNoMember: Buffer = Buffer.from('false');

/** Identifies a user. A string with lone surrogates has no UTF-8 encoding, so it is escaped as JSON. */
export function userKey(id: string): Buffer {
  const isWellFormed = !/\p{Cs}/u.test(id);
  return Buffer.from(isWellFormed ? id : JSON.stringify(id));
}

/** Without an id, the user of a line is unknown. */
export const missingUserId: Violation = {
  code: 'missing_user_id',
  message: 'userId is missing, empty or blank',
};

export const missingValue: Violation = { code: 'missing_value', message: 'value is missing' };
