import { archives as archivesOf } from '../lib/archives.js';
import { oneThread, webhookImport } from '../lib/import-arguments.js';
import { isInstalled } from '../lib/installed.js';

const csvLoop = 'csv-parse loop';
const parquetLoop = 'hyparquet loop';
const validating = (format) => `evfwd validate, ${format}`;
const importing = (format) => `evfwd import, ${format}`;

/** The same events in other formats, against NDJSON and against loops over the usual libraries. */
export const archives = {
  name: 'archives',
  title: 'CSV, JSON arrays, Parquet, gzip and zstd',

  async prepare(workshop) {
    const events = workshop.pick(50_000, 200_000, 500_000);
    const hasZstd = isInstalled('zstd');
    const files = await archivesOf(events, { hasZstd });
    const validate = (format) => ({
      name: validating(format),
      run: () => workshop.evfwd(['validate', files[format]], events),
    });
    const importOf = (format) => ({
      name: importing(format),
      run: () =>
        workshop.received(events, () =>
          workshop.evfwd(webhookImport(workshop, files[format], oneThread(workshop)), events),
        ),
    });
    const loop = (name, script, file) => ({
      name,
      run: () => workshop.peer(script, [file], events),
    });
    return {
      contenders: [
        ...Object.keys(files).map(validate),
        loop(csvLoop, 'csv-loop', files.csv),
        loop(parquetLoop, 'parquet-loop', files.parquet),
        ...['ndjson', 'csv', 'parquet'].map(importOf),
      ],
      rounds: workshop.pick(2, 5),
      promises: [
        { subject: validating('csv'), peer: csvLoop, atLeast: 2 },
        { subject: validating('parquet'), peer: parquetLoop, atLeast: 0.6 },
        { subject: validating('json'), peer: validating('ndjson'), atLeast: 0.5 },
        { subject: validating('zstd'), peer: validating('gzip'), atLeast: 0.7 },
        { subject: importing('csv'), peer: importing('ndjson'), atLeast: 0.6 },
        { subject: importing('parquet'), peer: importing('ndjson') },
        ...['csv', 'parquet'].map((format) => ({
          ...{ subject: importing(format), metric: 'peakMb', atMost: 200 },
        })),
      ],
      skipped: hasZstd ? [] : ['zstd is not installed'],
    };
  },
};
