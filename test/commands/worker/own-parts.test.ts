import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { WorkerFlags } from '../../../src/commands/worker/flags.js';
import { ownPartsOf } from '../../../src/commands/worker/own-parts.js';
import type { OwnParts } from '../../../src/importer/shared/worker/own-parts.js';
import { folderWith } from '../../helpers/folder.js';

const [flag, variable] = ['https://example.com/?token=flag', 'https://example.com/?token=variable'];

function own(flags: Partial<WorkerFlags>, env: Record<string, string> = {}): Promise<OwnParts> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const io = { stdin, stdout, stderr, env, cwd: process.cwd(), exit: () => undefined };
  return ownPartsOf({ parts: 2, concurrency: 64, ...flags }, io);
}

describe('what a worker has for the targets of runs', () => {
  it('is nothing without flags and environment', async () => {
    expect(await own({})).toMatchObject({
      ...{ secrets: [], writeKey: undefined },
      ...{ headers: [], endpoints: [] },
    });
  });

  it('has all secrets of flags, newest first, and that of a second scheme', async () => {
    const cwd = folderWith({ new: 'n\n', old: 'o', also: 'a\n' });
    const paths = { secretFile: ['new', 'old'].map((name) => join(cwd, name)) };
    expect(await own({ ...paths, alsoSecretFile: join(cwd, 'also') })).toMatchObject({
      ...{ secrets: ['n', 'o'], alsoSecret: 'a' },
    });
    expect(await own({}, { EVFWD_SECRET: 's' })).toMatchObject({ secrets: ['s'] });
  });

  it('has the URL of a collector from --endpoint, else from EVFWD_ENDPOINT', async () => {
    const env = { EVFWD_ENDPOINT: variable };
    expect((await own({ endpoint: flag }, env)).endpoints).toEqual([{ url: flag }]);
    expect((await own({}, env)).endpoints).toEqual([{ url: variable }]);
  });

  it('has the URLs of webhooks from --url, else from EVFWD_URL', async () => {
    const env = { EVFWD_URL: variable };
    expect((await own({ url: [flag] }, env)).endpoints).toEqual([{ url: flag }]);
    expect((await own({}, env)).endpoints).toEqual([{ url: variable }]);
  });

  it.each([
    ['--endpoint', { endpoint: 'ftp://h' }, {}],
    ['--endpoint', { endpoint: '' }, {}],
    ['EVFWD_ENDPOINT', {}, { EVFWD_ENDPOINT: 'ftp://h' }],
    ['--url', { url: ['ftp://h'] }, {}],
    ['EVFWD_URL', {}, { EVFWD_URL: 'ftp://h' }],
  ])('names %s where its URL is not valid', async (name, flags, env) => {
    await expect(own(flags, env)).rejects.toThrow(new RegExp(`^${name}: not a valid http`));
  });

  it('refuses an empty --write-key', async () => {
    await expect(own({ writeKey: '' })).rejects.toThrow(/^--write-key is empty/);
  });
});
