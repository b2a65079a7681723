import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { intake } from '../lib/load-server.js';
import { findPostgres, startPostgres } from '../lib/postgres.js';

const writeKey = 'bench';
const login = Buffer.from(`${writeKey}:`).toString('base64');
const peer = join(import.meta.dirname, '../peers/postgres-server.js');

/** What is measured, one event a request and in batches of 100. */
const forms = [
  { form: 'single events', path: '/v1/track', flags: [] },
  { form: 'batches of 100', path: '/v1/batch', flags: ['--batch', '100'] },
];

/** Intake into PostgreSQL, against a program that does nothing else. */
export const sharedServe = {
  name: 'shared-serve',
  title: 'intake of a service into PostgreSQL, against node:http and pg alone',

  async prepare(workshop) {
    if (!findPostgres()) return nothing(['PostgreSQL is not installed']);
    if (Number(process.versions.node.split('.')[0]) < 22) return nothing(['Node.js is too old']);
    const postgres = await startPostgres(workshop.makeFolder());
    workshop.onClose(() => postgres.stop());
    const flags = [
      // With two instances each gets half of the requests, so V8 takes twice as long to compile its code.
      ...['--warm-up-ms', String(workshop.pick(3_000, 10_000))],
      ...['--ms', String(workshop.pick(3_000, 8_000))],
    ];
    const serve = async ({ path, flags: own, instances }) => {
      await postgres.clear();
      const folder = workshop.makeFolder();
      const config = join(folder, 'evfwd.config.json');
      writeFileSync(config, JSON.stringify(configuration));
      const args = ['serve', '--config', config, '--port', '0', '--store', postgres.url];
      const headers = ['--headers', `Authorization: Basic ${login}`];
      const server = { program: workshop.program, args, path, instances };
      return intake({ ...server, flags: [...headers, ...own, ...flags] }).finally(() =>
        rmSync(folder, { recursive: true, force: true }),
      );
    };
    const contenders = forms.flatMap((form) => [
      { name: `evfwd serve --store, ${form.form}`, run: () => serve(form) },
      {
        name: `postgres server, ${form.form}`,
        async run() {
          await postgres.clear();
          return intake({ program: peer, args: [postgres.url], flags: [...form.flags, ...flags] });
        },
      },
    ]);
    contenders.push({
      name: 'two instances of evfwd serve --store, single events',
      run: () => serve({ ...forms[0], instances: 2 }),
    });
    return {
      contenders,
      rounds: workshop.pick(2, 5),
      promises: [
        ...forms.flatMap(({ form }) => {
          const subject = `evfwd serve --store, ${form}`;
          const pair = { subject, peer: `postgres server, ${form}` };
          return [
            { ...pair, atLeast: 0.6 },
            { ...pair, metric: 'p99Ms', atMost: 2 },
            { subject, metric: 'peakMb', atMost: 200 },
          ];
        }),
        {
          subject: 'two instances of evfwd serve --store, single events',
          peer: 'evfwd serve --store, single events',
          atLeast: 1,
        },
      ],
    };
  },
};

/** Nothing listens there: all events stay in the store. */
const configuration = {
  sources: { bench: { writeKey, destinations: ['hook'] } },
  destinations: {
    hook: {
      ...{ type: 'Webhooks', allowPrivateNetworks: true },
      endpoints: [{ url: 'http://127.0.0.1:9/hook' }],
    },
  },
};

function nothing(skipped) {
  return { contenders: [], rounds: 0, promises: [], skipped };
}
