import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { findPostgres } from '../helpers/find-postgres.js';
import { startObjectServer } from '../helpers/object-server.js';
import { summaryOf } from '../helpers/process.js';
import { startS3Server } from '../helpers/s3-server.js';
import { zipOf } from '../helpers/zip-files.js';
import { fileOf } from '../sources/formats/parquet-files.js';
import { openScene } from './scene.js';
import { expectAgreement, expectComplete, repeatsOf } from './verdict.js';

const aws = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'aws-secret' };
const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const;

/** A Parquet file of the same events. */
function parquetOf(events: string, rowGroupSize: number): Buffer {
  const lines = events.trimEnd().split('\n');
  const all = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const names = ['type', 'userId', 'event', 'messageId', 'timestamp'];
  const columns = names.map((name) => ({ name, data: all.map((event) => event[name] ?? null) }));
  const properties = all.map((event) => event.properties);
  return fileOf([...columns, { name: 'properties', data: properties }], {
    rowGroupSize,
    schema: [
      { name: 'root', num_children: 6 },
      ...names.map((name) => ({ name, ...text })),
      { name: 'properties', ...text, converted_type: 'JSON' },
    ],
  });
}

describe.skipIf(findPostgres() === undefined)('sources that are not on this machine', () => {
  it('are read by workers, which have their own queries and credentials, with a kill', async () => {
    const { cwd, files, fleet, receiver } = await openScene({
      ...{ files: 4, perFile: 9_000, isClean: true },
      rules: [{ status: 503, every: 300, rest: 7, attempts: 1 }],
      env: aws,
    });
    const contents = files.names.map((name) => readFileSync(join(cwd, name)));
    const s3 = await startS3Server({
      objects: { 'a b/plain.ndjson': contents[0]!, 'a b/packed.ndjson.gz': gzipSync(contents[1]!) },
      secret: aws.AWS_SECRET_ACCESS_KEY,
    });
    const zip = await zipOf([{ name: 'events.ndjson', bytes: contents[2]! }]);
    const archive = await startObjectServer({ bytes: zip });
    const table = await startObjectServer({ bytes: parquetOf(contents[3]!.toString(), 2_000) });
    const whole = `${archive.url}?sig=query-secret`;
    const sources = ['s3://logs/a b/', whole, table.url, '--s3-endpoint', s3.url];
    const planner = fleet.plan([...sources, '--url', receiver.url]);
    await planner.says('9 parts');
    const stranger = fleet.startWorker();
    await stranger.says(`needs the whole URL of the source ${archive.url}; use --source-url`);
    await stranger.stop('SIGTERM');
    const args = ['--source-url', whole];
    const [first] = await fleet.startWorkers(2, args);
    await receiver.atLeast(10_000);
    await fleet.replace(first!, args);
    const summary = await expectComplete(await planner.ended, cwd, receiver, {
      ...{ files, isClean: true },
      maxRepeats: repeatsOf(1),
    });
    const [run] = await fleet.runIds();
    await expectAgreement(fleet, run!, summary);
    expect(JSON.stringify(await fleet.server.sql('SELECT * FROM evfwd.run'))).not.toMatch(
      /query-secret|aws-secret/,
    );
  });

  it('fail by name when they have changed, and are put back by verify', async () => {
    const { cwd, files, fleet, receiver } = await openScene({
      ...{ files: 1, perFile: 100, isClean: true },
    });
    const bytes = readFileSync(join(cwd, files.names[0]!));
    let etag = '"planned"';
    const server = await startObjectServer({
      bytes,
      headers: {
        get etag() {
          return etag;
        },
      },
    });
    const args = [server.url, '--url', receiver.url];
    const planner = fleet.plan(args);
    await planner.says('1 part');
    etag = '"other"';
    const [worker] = await fleet.startWorkers(1);
    const problem = `${server.url}: is another version, by its ETag or date: it is not the file that was planned; restore it, then use evfwd runs verify`;
    await worker!.says(problem);
    const ended = await planner.ended;
    expect(ended.code).toBe(3);
    expect(summaryOf(ended)).toMatchObject({
      ...{ read: 0, problems: [{ file: server.url }] },
    });
    etag = '"planned"';
    const [run] = await fleet.runIds();
    expect((await fleet.run(['runs', 'verify', run!])).code).toBe(0);
    expect(await fleet.plan(args).ended).toMatchObject({ code: 0 });
    expect((await fleet.runs('show', run!)).delivered).toBe(100);
  });

  it('are counted when their run is cancelled', async () => {
    const { cwd, files, fleet, receiver } = await openScene({
      ...{ files: 1, perFile: 100, isClean: true },
    });
    const bytes = readFileSync(join(cwd, files.names[0]!));
    writeFileSync(join(cwd, 'table.parquet'), parquetOf(bytes.toString(), 30));
    const server = await startObjectServer({ bytes });
    const planner = fleet.plan(['table.parquet', server.url, '--url', receiver.url]);
    await planner.says('5 parts');
    const [run] = await fleet.runIds();
    await fleet.run(['runs', 'cancel', run!]);
    expect(summaryOf(await planner.ended)).toMatchObject({ delivered: 0, pending: 200 });
  });
});
