import type { Origin, Problem } from '../events/event.js';
import type { Violation } from '../events/rules.js';

/** What a list is about: who belongs to it, or the value that each user has. */
export type AudienceKind = 'sync' | 'trait';

/** What a list is read for. */
export interface ListOptions {
  /** As the user gave it. */
  readonly file: string;
  readonly kind: AudienceKind;
  /** The trait that the rows are for. */
  readonly property: string;
}

/** One user of a list. */
export interface Row {
  /** What the user is known by: the id's own characters, so that `"7"` and `7` are one user. */
  readonly user: Buffer;
  /** The id as JSON text, as it goes out. */
  readonly id: Buffer;
  /** What the trait is to be, as JSON text. */
  readonly value: Buffer;
  readonly origin: Origin;
  /** The line as it stands in the list. */
  readonly bytes: Buffer;
  /** Whether `bytes` is JSON text. */
  readonly isJson: boolean;
}

/** Cuts the bytes of a list into rows and problems; one for each format. */
export interface RowReader {
  /** @throws UsageError when the list as a whole cannot be read. */
  push(chunk: Buffer): (Row | Problem)[];
  /** What the end of the list completes. */
  end(): (Row | Problem)[];
  /** How many lines have ended so far. */
  readonly linesRead: number;
}

export const isMember: Buffer = Buffer.from('true');
export const isNoMember: Buffer = Buffer.from('false');

/** What a user is known by; text that is not well-formed has no UTF-8, so its escapes stand for it. */
export function userKey(id: string): Buffer {
  const isWellFormed = !/\p{Cs}/u.test(id);
  return Buffer.from(isWellFormed ? id : JSON.stringify(id));
}

/** Without an id nobody can say which user a line was about. */
export const missingUserId: Violation = {
  code: 'missing_user_id',
  message: 'userId is missing, empty or blank',
};

export const missingValue: Violation = { code: 'missing_value', message: 'value is missing' };
