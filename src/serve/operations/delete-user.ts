import type { DeletionResult } from '../../api/serve.js';
import { deletionOf } from '../collect/deletion.js';
import { Document } from '../collect/document.js';
import { Refusal } from '../collect/refusal.js';
import { Routes } from '../forward/routes.js';
import type { AcceptDeletion, Routing, Source } from '../types.js';

export interface DeleteUserOptions {
  readonly routing: Routing;
  readonly accept: AcceptDeletion;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Requests the deletion of a user: one notification for each source that has an enabled
 * destination. Resolves when all are durable.
 *
 * @param body `{"userId":"…","sources"?:["web",…]}`; by default all sources.
 * @throws Refusal when it is not valid, StateError when it cannot be stored
 */
export async function deleteUser(
  body: Buffer,
  { routing, accept, now }: DeleteUserOptions,
): Promise<DeletionResult> {
  const document = new Document(body);
  const routes = new Routes(routing);
  const affected = chosen(document.value.sources, routing).flatMap((source) => {
    const destinations = routes.namesFor(source);
    return destinations.length > 0 ? [{ source, destinations }] : [];
  });
  const deletion = { ...deletionOf(document, now), receivedAt: now };
  await Promise.all(affected.map(({ source }) => accept({ ...deletion, source })));
  return {
    deletions: affected.map(({ source, destinations }) => ({ source: source.name, destinations })),
  };
}

/** Requests of raw sources have no user. */
function chosen(names: unknown, routing: Routing): readonly Source[] {
  const sources = routing.sources.filter(({ raw }) => !raw);
  if (names === undefined || names === null) return sources;
  if (!Array.isArray(names)) {
    throw new Refusal(400, 'invalid_sources', 'sources must be a list of source names');
  }
  // One notification each, also for a name that is duplicated.
  return [...new Set<unknown>(names)].map((name) => {
    const source = sources.find((one) => one.name === name);
    if (source) return source;
    const known = sources.map((one) => one.name).join(', ');
    throw new Refusal(400, 'unknown_source', `unknown source in sources; expected one of ${known}`);
  });
}
