import type { Where } from '../../config/environment.js';
import type { DestinationSection } from '../../config/schema.js';
import { UsageError } from '../../errors.js';
import { eventTypes } from '../../events/event.js';
import { partsOf } from '../../events/where.js';
import { pathText } from '../../json/path.js';
import { similar } from '../../nearest.js';
import { quoted } from '../../quoted.js';
import type { Source } from '../types.js';

/** What conditions on requests may begin with. */
const roots = ['method', 'path', 'header', 'body'] as const;

/**
 * Checks `where` of each destination that gets requests only: a condition on anything else would fit none of them. One
 * that gets events, too, may have conditions on these.
 *
 * @param destinations whose values are expanded
 * @throws UsageError with file, line and key path
 */
export function checkRawConditions(
  sources: readonly Pick<Source, 'raw' | 'destinations'>[],
  destinations: Readonly<Record<string, DestinationSection>>,
  where: Where,
): void {
  forRequestsOnly(sources, destinations, ({ where: conditions = [] }, path) =>
    conditions.forEach((one, index) =>
      checkRawCondition(one, () => where([...path, 'where', index])),
    ),
  );
}

/**
 * Refuses unknown `types` of a destination that gets only requests of raw sources, since requests have no event type.
 * Known types are accepted: a source of events may be added later.
 *
 * @param destinations whose values are expanded
 * @throws UsageError with file, line and key path
 */
export function checkRawTypes(
  sources: readonly Pick<Source, 'raw' | 'destinations'>[],
  destinations: Readonly<Record<string, DestinationSection>>,
  where: Where,
): void {
  forRequestsOnly(sources, destinations, ({ types = [] }, path) => {
    const index = types.findIndex((type) => !(eventTypes as readonly string[]).includes(type));
    if (index < 0) return;
    throw new UsageError(
      `${where([...path, 'types', index])}: types are those of events, and do not apply to requests of raw sources; leave them out, or use where, e.g. where: ['method=POST']`,
    );
  });
}

/** What a destination, or one of its endpoints, wants. */
interface Wanted {
  readonly where?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
}

/** Calls `check` for each destination that gets requests only, and for each of its endpoints, with their key paths. */
function forRequestsOnly(
  sources: readonly Pick<Source, 'raw' | 'destinations'>[],
  destinations: Readonly<Record<string, DestinationSection>>,
  check: (wanted: Wanted, path: readonly PropertyKey[]) => void,
): void {
  for (const [name, section] of Object.entries(destinations)) {
    if (!getsRequestsOnly(name, sources)) continue;
    const path = ['destinations', name];
    check(section, path);
    section.endpoints.forEach((one, index) => check(one, [...path, 'endpoints', index]));
  }
}

/** Whether all sources of a destination, of which there is one, are raw. */
export function getsRequestsOnly(
  destination: string,
  sources: readonly Pick<Source, 'raw' | 'destinations'>[],
): boolean {
  const own = sources.filter(({ destinations }) => destinations.includes(destination));
  return own.length > 0 && own.every(({ raw }) => raw !== undefined);
}

/**
 * @param place of the condition, for the message
 * @throws UsageError for a condition that fits no request
 */
export function checkRawCondition(condition: string, place: () => string): void {
  const { names } = partsOf(condition, place());
  if (isOfRequests(names)) return;
  const near = nearest(names);
  const meant = near && quoted(pathText(near), '');
  throw new UsageError(
    `${place()}: requests have no ${quoted(pathText(names), 'such path')}; ${meant ? `did you mean ${meant}? (` : 'use '}method, path, header.<name> or body.<path>${meant ? ')' : ''}`,
  );
}

function isOfRequests([root, ...rest]: readonly string[]): boolean {
  if (root === 'method' || root === 'path') return rest.length === 0;
  return root === 'header' ? rest.length === 1 : root === 'body';
}

/** The path that is likely meant: of a typo, or of the bare name of a header. */
function nearest([first = '', ...rest]: readonly string[]): readonly string[] | undefined {
  if (rest.length === 0 && first.includes('-')) return ['header', first.toLowerCase()];
  const root = first.toLowerCase() === 'headers' ? 'header' : similar(first, roots);
  if (root === 'header') return rest.length > 0 ? [root, rest.join('.').toLowerCase()] : undefined;
  if (root === undefined) return undefined;
  return root === 'body' ? [root, ...rest] : [root];
}
