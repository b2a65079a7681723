import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of initdb and postgres; undefined where PostgreSQL is not installed. */
export function findPostgres(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).map(Number) : [];
  const folders = versions.sort((a, b) => b - a).map((version) => join(debian, `${version}/bin`));
  const path = (process.env.PATH ?? '').split(':');
  const found = [...path, ...folders].find((folder) => existsSync(join(folder, 'initdb')));
  // A link to one program need not have the others beside it.
  return found && dirname(realpathSync(join(found, 'initdb')));
}
