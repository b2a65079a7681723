import { presentHeader, valuesOf } from './received-headers.js';
import { presets } from './schemes/index.js';
import type { Scheme } from './schemes/scheme.js';

/**
 * The schemes whose signature a request has, by its headers, own ones first. Of two that differ only
 * in strength or form, one is left.
 */
export function schemesOf(headers: readonly string[], own: readonly Scheme[]): Scheme[] {
  const present = [...own, ...presets.values()].filter(
    (scheme) => presentHeader(scheme, headers) !== undefined,
  );
  const names = new Set(present.map(({ name }) => name));
  return present.filter(({ name }) => {
    if (name === 'github-sha1') return !names.has('github');
    if (name === 'svix') return !names.has('standard-webhooks') || hasSvix(headers);
    if (name === 'convoy') return !isAdvancedConvoy(headers);
    if (name === 'convoy-advanced') return isAdvancedConvoy(headers);
    return true;
  });
}

/** Without its own names, its headers are those of Standard Webhooks. */
function hasSvix(headers: readonly string[]): boolean {
  return valuesOf(headers, 'svix-signature').length > 0;
}

function isAdvancedConvoy(headers: readonly string[]): boolean {
  return valuesOf(headers, 'x-convoy-signature').some((value) => value.includes('v1='));
}
