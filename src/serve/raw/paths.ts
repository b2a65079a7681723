import { similar } from '../../nearest.js';
import { pathWithoutQuery } from '../../receive/rules/path-pattern.js';
import type { Source } from '../types.js';

/** A source that takes a request. */
export interface FoundSource {
  readonly source: Source;
  /** How many characters of the request's path are the path of the source. */
  readonly sourcePathLength: number;
  /** Whether the path of the source is exactly this one. */
  readonly isExact: boolean;
}

/** The absolute form, as it is sent to proxies. */
const authority = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** Finds the source of a request by its path, byte for byte: nothing is decoded or normalized. */
export class RawPaths {
  readonly #exact = new Map<string, Source>();
  /** The longest first. */
  readonly #prefixes: readonly { readonly prefix: string; readonly source: Source }[];

  constructor(sources: readonly Source[]) {
    const prefixes: { prefix: string; source: Source }[] = [];
    for (const source of sources) {
      const path = source.raw?.path;
      if (path === undefined) continue;
      if (path.endsWith('/*')) prefixes.push({ prefix: path.slice(0, -2), source });
      else this.#exact.set(path, source);
    }
    this.#prefixes = prefixes.sort((one, other) => other.prefix.length - one.prefix.length);
  }

  get isEmpty(): boolean {
    return this.#exact.size === 0 && this.#prefixes.length === 0;
  }

  find(url: string): FoundSource | undefined {
    const start = url.startsWith('/') ? 0 : (authority.exec(url)?.[0].length ?? 0);
    const end = endOfPath(url, start);
    const path = start === end ? '/' : url.slice(start, end);
    const exact = this.#exact.get(path);
    if (exact) return { source: exact, sourcePathLength: end, isExact: true };
    for (const { prefix, source } of this.#prefixes) {
      if (path === prefix) return { source, sourcePathLength: end, isExact: false };
      if (path.startsWith(`${prefix}/`))
        return { source, sourcePathLength: start + prefix.length, isExact: false };
    }
    return undefined;
  }

  /** The path of a source that a request without one was likely meant for: a typo, or another case. */
  near(url: string): string | undefined {
    const path = pathWithoutQuery(url);
    if (path.length > maxNearLength) return undefined;
    const names = path.split('/');
    let compared = 0;
    const isNear = (own: string, asked: string): boolean =>
      Math.abs(own.length - asked.length) <= 3 &&
      compared++ < maxCompared &&
      similar(asked, [own]) !== undefined;
    for (const own of this.#exact.keys()) if (isNear(own, path)) return own;
    return this.#prefixes.find(({ prefix }) =>
      isNear(prefix, names.slice(0, prefix.split('/').length).join('/')),
    )?.prefix;
  }
}

/** Longer paths are no typo of one that a person has typed. */
const maxNearLength = 100;
/** So that a flood of requests without a source costs little. */
const maxCompared = 100;

function endOfPath(url: string, start: number): number {
  const query = url.indexOf('?', start);
  return query === -1 ? url.length : query;
}

/** The part of a request's path behind that of the source, with its query, for an app. */
export function pathBehind(path: string, sourcePathLength: number): string {
  const rest = path.slice(sourcePathLength);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** With its question mark; empty without one. */
export function queryOf(path: string): string {
  const mark = path.indexOf('?');
  return mark === -1 ? '' : path.slice(mark);
}
