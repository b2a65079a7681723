import { createRequire } from 'node:module';
import { UsageError } from '../../errors.js';

/** The packages behind `--store`. They are optional peers: a plain install does not have them. */
export interface StorePackages {
  readonly pg: typeof import('pg');
  readonly PgBoss: typeof import('pg-boss').PgBoss;
}

/** What pg-boss needs; the rest of the program runs on older versions. */
const minNode = [22, 12] as const;

/** @throws UsageError that says what to install, where a package is missing or Node.js is too old. */
export async function loadStorePackages(
  nodeVersion: string = process.versions.node,
): Promise<StorePackages> {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  if (major < minNode[0] || (major === minNode[0] && minor < minNode[1])) {
    throw new UsageError(
      `a store on PostgreSQL needs Node.js ${minNode.join('.')} or newer, this is ${nodeVersion}; run evfwd with a newer one`,
      'store_node_too_old',
    );
  }
  try {
    const [pg, { PgBoss }] = await Promise.all([import('pg'), import('pg-boss')]);
    readPasswordFile(pg);
    return { pg, PgBoss };
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new UsageError(
      'a store on PostgreSQL needs the packages pg and pg-boss; install them beside evfwd: npm install pg pg-boss (with -g if evfwd is installed globally)',
      'store_packages_missing',
      { cause },
    );
  }
}

type PasswordFile = (about: object, done: (password?: string) => void) => void;

/** Where neither the URL nor PGPASSWORD has a password. Left to itself, pg prints that it will not do so any more. */
function readPasswordFile({ defaults }: StorePackages['pg']): void {
  const pg = createRequire(import.meta.url).resolve('pg');
  const pgpass = createRequire(pg)('pgpass') as PasswordFile;
  const password = (about: object) =>
    new Promise<string | undefined>((resolve) => pgpass(about, resolve));
  Object.assign(defaults, { password });
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}
