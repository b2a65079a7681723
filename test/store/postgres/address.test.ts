import { describe, expect, it } from 'vitest';
import { checkSchemaName, parseStoreUrl } from '../../../src/store/postgres/address.js';

const parse = (text: string) => parseStoreUrl(text, '--store');

describe('the address of a store', () => {
  it('has what its URL says', () => {
    expect(parse('postgres://u%40x:p%3Aw@db.example.com:5433/events?sslmode=verify-full')).toEqual({
      host: 'db.example.com',
      port: 5433,
      user: 'u@x',
      password: 'p:w',
      database: 'events',
      sslMode: 'verify-full',
      shown: 'postgres://db.example.com:5433/events',
      named: '--store postgres://db.example.com:5433/events',
    });
  });

  it('leaves to the driver what the URL does not say', () => {
    expect(parse('postgresql://db')).toMatchObject({
      ...{ host: 'db', port: 5432, user: undefined, password: undefined, database: undefined },
      ...{ sslMode: 'prefer', shown: 'postgres://db:5432/' },
    });
  });

  it.each([
    'postgres:///events?host=/run/postgresql',
    'postgres://me:pw@/events?host=/run/postgresql',
    'postgres://me@%2Frun%2Fpostgresql/events',
  ])('is a folder in %s', (text) => {
    expect(parse(text)).toMatchObject({
      ...{ host: '/run/postgresql', database: 'events', sslMode: 'disable' },
      shown: 'postgres:///events',
    });
  });

  it('may be one of IPv6', () => {
    expect(parse('postgres://[::1]:5433/x')).toMatchObject({
      ...{ host: '::1', port: 5433, shown: 'postgres://[::1]:5433/x' },
    });
  });

  it.each([
    ['redis://u:secret@h/0', 'is not a postgres:// URL'],
    ['postgres://u:sec%zzret@h/db', 'has a % that is not part of an escape'],
    ['postgres://u:secret@/db', 'has no host'],
    ['postgres://u:secret@a,b/db', 'names several hosts'],
    ['postgres://u:secret@h/db?sslmode=secret', 'has an sslmode that is none of'],
    ['postgres://u:secret@h/db?sslrootcert=secret', 'has an option other than'],
    ['postgres://u:secret@h/db#secret', 'has a fragment'],
    ['postgres://u:secret@[h/db', 'cannot be read'],
    ['postgres://u:sec ret@h:99999/db', 'has a port above 65535'],
    ['postgres://u:99999/secret@h/db', 'cannot be read'],
  ])('is refused without its text', (text, reason) => {
    expect(() => parse(text)).toThrow(`--store: the URL ${reason}`);
    expect(() => parse(text)).not.toThrow(/secret|sec ret/);
  });

  it.each(['evfwd', '_a1'])('takes the schema %s', (name) => {
    expect(checkSchemaName(name)).toBe(name);
  });

  it.each(['Evfwd', '1a', 'a-b', 'a"b', '', 'a'.repeat(59)])('refuses the schema %j', (name) => {
    expect(() => checkSchemaName(name)).toThrow('--store-schema');
  });

  // The jobs of `pg` would be in `pg_jobs`.
  it.each(['pg_x', 'pg'])('refuses the schema %s, which is of PostgreSQL itself', (name) => {
    expect(() => checkSchemaName(name)).toThrow(
      '--store-schema: must not be pg or begin with pg_, which PostgreSQL keeps for itself; use another name',
    );
  });

  it('takes a schema whose name only looks like one of PostgreSQL itself', () => {
    expect(checkSchemaName('pgx_events')).toBe('pgx_events');
  });
});
