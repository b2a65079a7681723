import { describe, expect, it } from 'vitest';
import { StoreUnavailable, storeErrorOf } from '../../../src/store/postgres/unavailable.js';

const shown = 'postgres://db';

describe('an error of the driver', () => {
  it('of a standby that is not promoted yet means that it is read-only', () => {
    for (const said of [{ code: '25006' }, { code: '0A000', routine: 'get_relation_info' }]) {
      const error = Object.assign(new Error('cannot access … during recovery'), said);
      expect(storeErrorOf(error, shown)).toMatchObject({
        kind: 'refused',
        problem: 'postgres://db refuses writes (it is read-only)',
      });
    }
  });

  it.each(['write_item', 'write_relcache_init_file'])(
    'of a new connection that cannot write to a full disk, in %s, means that the server cannot write',
    (routine) => {
      const error = Object.assign(new Error('could not write init file'), {
        ...{ code: 'XX000', routine },
      });
      expect(storeErrorOf(error, shown)).toMatchObject({
        kind: 'refused',
        problem: 'postgres://db refuses writes (it cannot write or read its files)',
      });
    },
  );

  it.each([
    ['42501', 'permission denied for schema evfwd', 'the user may not use schema evfwd'],
    ['42501', 'keine Berechtigung', 'the user may not use its tables'],
    ['42P01', 'relation "evfwd.part" does not exist', 'evfwd.part is missing'],
    ['3F000', 'schema "evfwd" does not exist', 'evfwd is missing'],
    ['3F000', 'Schema »evfwd« existiert nicht', 'evfwd is missing'],
    ['42P01', 'and another text', 'its tables are missing'],
  ])('with the code %s and the text %j is an outage that names what it is about', (...row) => {
    const [code, text, reason] = row;
    const error = storeErrorOf(Object.assign(new Error(text), { code }), shown);
    expect(error).toMatchObject({ kind: 'refused' });
    expect((error as StoreUnavailable).problem).toBe(`${shown} refuses writes (${reason})`);
  });

  it.each([
    ['0A000', 'RevalidateCachedQuery', 'cached plan must not change result type'],
    ['XX000', 'simple_heap_update', 'tuple concurrently updated'],
  ])('that does not pass by itself stays as it is: %s of %s', (code, routine, text) => {
    const error = Object.assign(new Error(text), { code, routine });
    expect(storeErrorOf(error, shown)).toBe(error);
  });

  it('is told with the next step', () => {
    const error = storeErrorOf(Object.assign(new Error('full'), { code: '53300' }), shown);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect((error as Error).message).toBe(
      'postgres://db cannot be reached (it has too many connections); end other programs, or raise max_connections, or the CONNECTION LIMIT of the role or database',
    );
  });
});
