import type { Scheme } from './scheme.js';

/** The presets by name, `x-signature` first. */
export declare const presets: ReadonlyMap<string, Scheme>;

/**
 * The scheme of this name: a preset or one of `own`.
 *
 * @param where begins the message: `--scheme`, `profile staging`, …
 * @throws UsageError that names the nearest known one
 */
export declare function schemeNamed(name: string, own: readonly Scheme[], where: string): Scheme;
