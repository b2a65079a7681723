import { createHash } from 'node:crypto';
import { pathWithoutQuery } from '../../receive/rules/path-pattern.js';

/** What tells deliveries with the same id apart. */
export interface RepeatScope {
  /** The header that has the id, in lower case. */
  readonly header: string;
  readonly method: string;
  /** As in the request line. */
  readonly path: string;
  /** How many of its characters are the path of the source. */
  readonly sourcePathLength: number;
}

// No header can have this character, so no id of a sender ends in this form.
const suffix = /\n~[\w-]{22}$/;

/**
 * The messageId under which a delivery is stored: its id, and a hash of the header, method and path with which it came.
 * Senders use one id for all endpoints of a customer, and one source may take several of them. The query does not count.
 */
export function repeatId(
  id: string,
  { header, method, path, sourcePathLength }: RepeatScope,
): string {
  const behind = pathWithoutQuery(path).slice(sourcePathLength);
  const scope = JSON.stringify([header, method, behind]);
  return `${id}\n~${createHash('sha256').update(scope).digest('base64url').slice(0, 22)}`;
}

/** The id of a delivery as its sender set it; any other messageId is returned unchanged. */
export function shownId(messageId: string): string {
  return messageId.replace(suffix, '');
}
