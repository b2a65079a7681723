/** The names of a path: `a.b` is `b` of `a`; `\.` is a dot and `\*` a star in a name. */
export function pathNames(path: string): string[] {
  const names: string[] = [];
  for (const [, name] of `${path}.`.matchAll(/((?:\\[^]|[^\\.])*)\./g)) {
    names.push(name!.replace(/\\([^])/g, '$1'));
  }
  return names;
}

/** The names of the object whose other members `*` or `a.*` stands for; undefined for any other path. */
export function restNames(path: string): string[] | undefined {
  if (path === '*') return [];
  return /(?<!\\)\.\*$/.test(path) ? pathNames(path.slice(0, -2)) : undefined;
}

/** Whether a path can be looked up: no name is empty, and no backslash is at its end. */
export function isPath(path: string): boolean {
  if (/(?<!\\)(?:\\\\)*\\$/.test(path)) return false;
  return (restNames(path) ?? pathNames(path)).every((name) => name !== '');
}
