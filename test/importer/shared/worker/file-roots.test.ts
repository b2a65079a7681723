import { describe, expect, it } from 'vitest';
import { localPath } from '../../../../src/importer/shared/worker/file-roots.js';

describe('the path of a planned file on a worker', () => {
  const roots = [
    { from: '/data', to: '/mnt' },
    { from: '/data/2026', to: '/new' },
    { from: '/one.ndjson', to: '/other/two.ndjson' },
  ];

  it('is that of the plan without a root', () => {
    expect(localPath('/data/a.ndjson', [])).toBe('/data/a.ndjson');
    expect(localPath('/elsewhere/a.ndjson', roots)).toBe('/elsewhere/a.ndjson');
  });

  it('is below the longest root that fits', () => {
    expect(localPath('/data/a.ndjson', roots)).toBe('/mnt/a.ndjson');
    expect(localPath('/data/2026/a.ndjson', roots)).toBe('/new/a.ndjson');
  });

  it('is mapped by whole names of folders', () => {
    expect(localPath('/database/a.ndjson', roots)).toBe('/database/a.ndjson');
    expect(localPath('/data/20261/a.ndjson', roots)).toBe('/mnt/20261/a.ndjson');
  });

  it('may be mapped as a whole', () => {
    expect(localPath('/one.ndjson', roots)).toBe('/other/two.ndjson');
  });

  it('is below a root of everything', () => {
    expect(localPath('/data/a.ndjson', [{ from: '', to: '/host' }])).toBe('/host/data/a.ndjson');
  });
});
