/**
 * Replaces what may be secret in URLs by `…`. Any message may contain a URL, since users pass them in
 * unexpected places, such as instead of a file.
 */
export function redactUrls(text: string): string {
  return (
    text
      // user:password@
      .replace(/(:\/\/)[^\s/?#"'@]*@/g, '$1…@')
      // query or fragment of a URL
      .replace(/(:\/\/[^\s?#"']*[?#])[^\s"']*[^\s"':;,.]/g, '$1…')
      // query of a path without a scheme
      .replace(/(\S\?)[^\s?="']+=[^\s"']*[^\s"':;,.]/g, '$1…')
  );
}
