import { describe, expect, it } from 'vitest';
import { startFailure } from '../../../src/commands/serve/run.js';
import { StateError } from '../../../src/errors.js';
import { StoreUnavailable } from '../../../src/store/postgres/unavailable.js';

describe('a service that cannot start', () => {
  it('says of a store that is lost meanwhile what to do, with exit code 2', () => {
    const lost = new StoreUnavailable('lost', 'connection reset', { shown: 'postgres://db' });
    const error = new StateError(`${lost.problem}; waiting for it`, { cause: lost });
    expect(startFailure(error)).toBe(lost);
    expect(lost).toMatchObject({
      exitCode: 2,
      message:
        'postgres://db cannot be reached (connection reset); check that the server runs there',
    });
  });

  it('keeps the error of a state in files', () => {
    const error = new StateError('serve.db: cannot be written', { cause: new Error('ENOSPC') });
    expect(startFailure(error)).toBe(error);
  });
});
