import { expect, it } from 'vitest';
import { loadStorePackages } from '../../../src/store/postgres/packages.js';

it.each(['20.20.2', '22.11.0'])(
  'a store is refused on Node.js %s, in one line',
  async (version) => {
    await expect(loadStorePackages(version)).rejects.toThrow(
      `a store on PostgreSQL needs Node.js 22.12 or newer, this is ${version}`,
    );
  },
);
