import { describe, expect, it } from 'vitest';
import type { PlannedFile, PlannedSources } from '../../../../src/importer/shared/plan.js';
import {
  completeSources,
  type OwnSources,
} from '../../../../src/importer/shared/worker/complete-sources.js';
import {
  FileProblem,
  missingFiles,
  openUnchanged,
} from '../../../../src/importer/shared/worker/planned-file.js';
import { Refusal } from '../../../../src/importer/shared/worker/refusal.js';
import { withoutQuery } from '../../../../src/http/url.js';
import { noSources } from '../../../helpers/item-context.js';
import { startObjectServer } from '../../../helpers/object-server.js';

const none: PlannedSources = {
  ...{ headerNames: [], usesCa: false },
  ...{ s3Endpoint: null, s3Region: null },
};
const { signal } = new AbortController();

function planned(url: string, changes: Partial<PlannedFile> = {}): PlannedFile {
  const path = withoutQuery(url);
  return {
    ...{ path, size: 6, modifiedMs: 0, version: '"one"', isWhole: false },
    ...(url !== path && { isPartialUrl: true as const }),
    ...changes,
  };
}

function refusal(file: PlannedFile, sources: PlannedSources, own: Partial<OwnSources>): string {
  try {
    completeSources({ files: [file], sources }, { ...noSources, ...own });
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
  return 'none';
}

describe('the sources of a plan', () => {
  const url = 'https://h/a.ndjson?sig=secret';
  const withHeader = {
    ...none,
    headerNames: ['authorization'],
  };

  it.each<[string, string, PlannedSources, Partial<OwnSources>]>([
    ['needs the whole URL of the source https://h/a.ndjson; use --source-url', url, none, {}],
    ['none', url, none, { urls: ['https://h/b', 'https://h/a.ndjson?sig=later'] }],
    ['none', 'https://h/a.ndjson', none, {}],
    [
      'needs the header authorization for its sources; use --source-header',
      ...(['https://h/a', withHeader, {}] as const),
    ],
    ['none', 'https://h/a', withHeader, { headers: [['Authorization', 'Bearer later']] }],
    [
      'needs additional CA certificates for its sources; use --source-ca',
      ...(['https://h/a', { ...none, usesCa: true }, {}] as const),
    ],
  ])('say: %s', (text, address, sources, own) => {
    expect(refusal(planned(address), sources, own)).toBe(text);
  });

  it('are opened with the own query and headers, and no others', async () => {
    const server = await startObjectServer({ bytes: Buffer.from('{"a":1') });
    const whole = `${server.url}?sig=secret`;
    const sources = { ...none, headerNames: ['x-a'] };
    const openRemote = completeSources(
      { files: [planned(whole)], sources },
      { ...noSources, urls: [whole], headers: [...[['X-A', '1'] as const], ['X-B', '2']] },
    );
    const input = await openUnchanged(planned(whole), { roots: [], openRemote }, signal);
    expect(input).toMatchObject({ name: server.url, size: 6 });
    expect(server.requests[0]).toMatchObject({ path: '/logs/a.ndjson?sig=secret' });
    expect(server.requests[0]!.headers['x-a']).toBe('1');
    expect(server.requests[0]!.headers['x-b']).toBeUndefined();
  });

  it.each([
    ['has 6 bytes, not 7', { size: 7 }],
    ['is another version, by its ETag or date', { version: '"two"' }],
  ])('are compared with what the planner saw: %s', async (text, changes) => {
    const server = await startObjectServer({ bytes: Buffer.from('{"a":1') });
    const file = planned(server.url, changes);
    const openRemote = completeSources({ files: [file], sources: none }, noSources);
    await expect(openUnchanged(file, { roots: [], openRemote }, signal)).rejects.toThrow(
      new FileProblem(
        `${text}: it is not the file that was planned; restore it, then use evfwd runs verify`,
      ),
    );
  });

  it('are the same with an ETag of another strength, or without its quotes', async () => {
    const server = await startObjectServer({ bytes: Buffer.from('{"a":1') });
    for (const version of ['W/"one"', 'one']) {
      const file = planned(server.url, { version });
      const openRemote = completeSources({ files: [file], sources: none }, noSources);
      await openUnchanged(file, { roots: [], openRemote }, signal);
    }
    expect(server.requests.length).toBe(2);
  });

  it('are looked at once for each server, and what a server says is told', async () => {
    const server = await startObjectServer({
      answer: () => (response) => response.writeHead(403).end(),
    });
    const files = ['a', 'b'].map((name) => planned(new URL(name, server.url).href));
    const openRemote = completeSources({ files, sources: none }, noSources);
    expect(await missingFiles(files, { roots: [], openRemote })).toEqual({
      path: files[0]!.path,
      reason: expect.stringMatching(/403.*--source-header/) as string,
      count: 1,
    });
    expect(server.requests.length).toBe(1);
  });
});
