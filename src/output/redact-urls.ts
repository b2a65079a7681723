/**
 * The text with `…` in place of what may be secret in URLs. A URL may stand where none is expected, as in
 * place of a file, and then in any message.
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
