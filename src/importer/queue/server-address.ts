import { UsageError } from '../../errors.js';

/** Where a Redis server is, and how to log in. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly isTls: boolean;
  /** `redis://host:port/0`: the only form that may be printed. */
  readonly shown: string;
}

const defaultPort = 6379;

/** @throws UsageError that shows nothing of the text, which may contain a password */
export function parseServerUrl(text: string): ServerAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'redis:' && url?.protocol !== 'rediss:') {
    throw wrongUrl('is not a redis:// or rediss:// URL');
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw wrongUrl('has no host');
  if (url.search !== '' || url.hash !== '') {
    throw wrongUrl('has a query or a fragment; write the number of the database as its path');
  }
  const port = url.port === '' ? defaultPort : Number(url.port);
  if (port === 0) throw wrongUrl('has port 0');
  const db = databaseOf(url.pathname);
  return {
    ...{ host, port, db },
    username: decoded(url.username),
    password: decoded(url.password),
    isTls: url.protocol === 'rediss:',
    shown: `${url.protocol}//${url.hostname}:${port}/${db}`,
  };
}

function databaseOf(path: string): number {
  const digits = /^\/?(\d{0,5})$/.exec(path)?.[1];
  if (digits === undefined) throw wrongUrl('has a path that is not the number of a database');
  return Number(digits);
}

function decoded(text: string): string | undefined {
  if (text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrongUrl(
      'has a % in its user or password that is not part of an escape; write %25 for it',
    );
  }
}

function wrongUrl(problem: string): UsageError {
  return new UsageError(
    `--queue: the URL ${problem}; pass it as redis://host:6379/0, or rediss://user:password@host:6379/0`,
    'queue_url_invalid',
  );
}
