import { anyId } from './ids.js';

/** Requests of one method and path, in which what has the form of an id is replaced. */
export interface PathCount {
  readonly method: string;
  readonly path: string;
  readonly requests: number;
}

/** More values than this are no names of resources. */
const mostNames = 100;
/** A segment of as many requests is a name, whatever else there is in its place: `/users/me`. */
const fewestOfName = 10;

/**
 * The paths, with segments replaced that have no form of an id, but are ids by their number: slugs, names of users,
 * ids of letters alone.
 */
export function withoutRareSegments(counts: readonly PathCount[]): string[] {
  const paths = counts.map(({ path }) => path.split('/'));
  const longest = Math.max(0, ...paths.map(({ length }) => length));
  for (let at = 1; at < longest; at++) {
    const siblings = new Map<string, number[]>();
    paths.forEach((path, i) => {
      if (path.length <= at || path[at] === '') return;
      const place = `${counts[i]!.method} ${path.slice(0, at).join('/')}`;
      const known = siblings.get(place);
      if (known) known.push(i);
      else siblings.set(place, [i]);
    });
    for (const indexes of siblings.values()) {
      const rare = rareSegments(indexes.map((i) => [paths[i]![at]!, counts[i]!.requests]));
      for (const i of indexes) if (rare.has(paths[i]![at]!)) paths[i]![at] = anyId;
    }
  }
  return paths.map((path) => path.join('/'));
}

/** Those that stand for ids, of all in one place. */
function rareSegments(segments: readonly (readonly [text: string, requests: number])[]) {
  const requestsOf = new Map<string, number>();
  for (const [text, requests] of segments) {
    requestsOf.set(text, (requestsOf.get(text) ?? 0) + requests);
  }
  const ids = requestsOf.get(anyId) ?? 0;
  requestsOf.delete(anyId);
  const rare = [...requestsOf].filter(([, requests]) => requests < fewestOfName);
  return new Set(ids + rare.length > mostNames ? rare.map(([text]) => text) : []);
}
