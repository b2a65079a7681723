import { pathWithoutQuery } from './path-pattern.js';

/**
 * The path that apps may take a request target for, without its query: an absolute URL is cut to its path;
 * a fragment, percent signs, parameters of segments (`;a=b`), dot segments, and doubled and trailing slashes
 * are resolved.
 */
export function normalPath(target: string): string {
  const path = decoded(pathWithoutQuery(originForm(target)).replace(/#.*/s, ''));
  const kept: string[] = [];
  for (const part of path.split(/[/\\]/)) {
    const segment = part.replace(/;.*/s, '');
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

/** Of an absolute URL its path and query, as an app expects them; any other target as it is. */
export function originForm(target: string): string {
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target);
  if (!absolute) return target;
  const rest = target.slice(absolute[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** What is not UTF-8 is decoded to the replacement character. */
function decoded(path: string): string {
  if (!path.includes('%')) return path;
  return path.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}
