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
  /** The same behind its source, `EVFWD_QUEUE redis://host:port/0`: what errors begin with. */
  readonly named: string;
}

const defaultPort = 6379;

/**
 * @param source where the text is from, for errors
 * @throws UsageError that shows nothing of the text, which may contain a password
 */
export function parseServerUrl(text: string, source: string): ServerAddress {
  try {
    const address = addressIn(text);
    return { ...address, named: `${source} ${address.shown}` };
  } catch (error) {
    if (!(error instanceof WrongUrl)) throw error;
    throw new UsageError(
      `${source}: the URL ${error.message}; pass it as redis://host:6379/0, or rediss://user:password@host:6379/0`,
      'queue_url_invalid',
    );
  }
}

/** What is wrong with a URL, without its text. */
class WrongUrl extends Error {}

function addressIn(text: string): Omit<ServerAddress, 'named'> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'redis:' && url?.protocol !== 'rediss:') {
    throw new WrongUrl('is not a redis:// or rediss:// URL');
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw new WrongUrl('has no host');
  if (url.search !== '' || url.hash !== '') {
    throw new WrongUrl('has a query or a fragment; write the number of the database as its path');
  }
  const port = url.port === '' ? defaultPort : Number(url.port);
  if (port === 0) throw new WrongUrl('has port 0');
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
  if (digits === undefined) throw new WrongUrl('has a path that is not the number of a database');
  return Number(digits);
}

function decoded(text: string): string | undefined {
  if (text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new WrongUrl(
      'has a % in its user or password that is not part of an escape; write %25 for it',
    );
  }
}
