import { presentHeader, valuesOf } from './parsed-headers.js';
import { presets } from './schemes/index.js';
import type { Scheme } from './schemes/scheme.js';

/** A scheme, and the name of the header of its signature that a request has. */
export interface PresentScheme {
  readonly scheme: Scheme;
  readonly header: string;
}

/**
 * Finds the schemes whose signature a request has, by its headers, own ones first. Of two that differ only
 * in strength or form, one is left.
 */
export function schemeChooser(
  own: readonly Scheme[],
): (headers: readonly string[]) => PresentScheme[] {
  const all = [...own, ...presets.values()].map((scheme) => ({
    scheme,
    headerIn: presentHeader(scheme),
  }));
  return (headers) => {
    const present: PresentScheme[] = [];
    for (const { scheme, headerIn } of all) {
      const header = headerIn(headers);
      if (header !== undefined) present.push({ scheme, header });
    }
    const isPresent = (name: string) => present.some(({ scheme }) => scheme.name === name);
    return present.filter(({ scheme: { name } }) => {
      if (name === 'github-sha1') return !isPresent('github');
      if (name === 'svix') return !isPresent('standard-webhooks') || hasSvix(headers);
      if (name === 'convoy') return !isAdvancedConvoy(headers);
      if (name === 'convoy-advanced') return isAdvancedConvoy(headers);
      return true;
    });
  };
}

/** Without its own names, its headers are those of Standard Webhooks. */
function hasSvix(headers: readonly string[]): boolean {
  return valuesOf(headers, 'svix-signature').length > 0;
}

function isAdvancedConvoy(headers: readonly string[]): boolean {
  return valuesOf(headers, 'x-convoy-signature').some((value) => value.includes('v1='));
}
