import type { IncomingMessage } from 'node:http';
import type { Reply } from './reply.js';
import { parameterOf, targetOf, type Target } from './target.js';

/** Responds to a request. @throws Refusal */
export type Handler = (request: IncomingMessage, found: Found) => Reply | Promise<Reply>;

export interface Route {
  readonly method: 'GET' | 'POST';
  /** Whether HEAD is accepted, too. */
  readonly acceptsHead?: boolean;
  readonly handle: Handler;
}

/** What is known of a request by its URL. */
export interface Found extends Target {
  /** Undefined for an unknown path. */
  readonly route: Route | undefined;
  /** The variable part of the path; empty without one. */
  readonly parameter: string;
}

/** Finds the route of a URL. */
export class Router {
  readonly #exact = new Map<string, Found>();
  readonly #patterns: { readonly pattern: RegExp; readonly route: Route }[] = [];

  /** @param path A pattern has one group, the parameter. */
  add(path: string | RegExp, route: Route): void {
    if (typeof path !== 'string') this.#patterns.push({ pattern: path, route });
    else this.#exact.set(path, { path, query: '', route, parameter: '' });
  }

  /** Undefined for a URL that is not valid. */
  find(url: string): Found | undefined {
    // Nearly all clients write the path as it is documented.
    const exact = this.#exact.get(url);
    if (exact) return exact;
    const target = targetOf(url);
    return target && this.#findTarget(target);
  }

  #findTarget({ path, query }: Target): Found {
    const exact = this.#exact.get(path);
    if (exact) return { ...exact, query };
    for (const { pattern, route } of this.#patterns) {
      const part = pattern.exec(path)?.[1];
      if (part !== undefined) return { path, query, route, parameter: parameterOf(part) };
    }
    return { path, query, route: undefined, parameter: '' };
  }
}
