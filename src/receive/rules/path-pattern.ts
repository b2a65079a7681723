/** Whether a request, by its path, belongs to a rule. */
export type PathPattern = (path: string) => boolean;

/** Why a text is no pattern, as the end of a sentence; undefined if it is one. */
export function pathProblem(pattern: string): string | undefined {
  if (!pattern.startsWith('/') || pattern.includes('?')) {
    return 'path must begin with / and have no query, like path=/hook or path=/hook/*';
  }
  const star = pattern.indexOf('*');
  if (star < 0 || (star === pattern.length - 1 && pattern.endsWith('/*'))) return undefined;
  return 'path may have a * only at its end, after a /, like path=/hook/*';
}

/** The exact path, or all below it for one that ends in `/*`; queries do not matter. */
export function pathPattern(pattern: string): PathPattern {
  if (!pattern.endsWith('/*')) return (path) => pathWithoutQuery(path) === pattern;
  const prefix = pattern.slice(0, -1);
  return (path) => pathWithoutQuery(path).startsWith(prefix);
}

/** The path of a request line without its query, which may contain secrets. */
export function pathWithoutQuery(path: string): string {
  const end = path.indexOf('?');
  return end === -1 ? path : path.slice(0, end);
}
