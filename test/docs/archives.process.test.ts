import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { vendorNames } from '../../src/vendors/index.js';
import { program } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { startS3Server } from '../helpers/s3-server.js';
import { hasTool } from '../helpers/tools.js';
import { zipOf } from '../helpers/zip-files.js';

const read = (path: string): string =>
  readFileSync(new URL(`../${path}`, import.meta.url), 'utf8').replace(/\r/g, '');
const pageText = (page: string): string => read(`../docs/${page}.md`);
const exported = (file: string): string => read(`vendors/data/${file}`);

/** Where the page looks for the export of a vendor: objects of the bucket `logs`, or files. */
async function exportsOf(): Promise<{
  objects: Record<string, Buffer>;
  files: Record<string, Buffer>;
}> {
  const amplitude = exported('amplitude.ndjson').trimEnd().split('\n');
  const hour = (n: number, lines: string[]) => ({
    name: `187520/187520_2026-03-01_${n}#1.json.gz`,
    bytes: gzipSync(`${lines.join('\n')}\n`),
    isCompressed: false,
  });
  return {
    objects: {
      'segment-logs/a1b2/1768435200000/1.gz': gzipSync(exported('segment.ndjson')),
      'rudder-logs/c3d4/2026-02-01/1.json.gz': gzipSync(exported('rudderstack.ndjson')),
      'posthog/2026-04-01/1.jsonl.gz': gzipSync(exported('posthog.ndjson')),
      'posthog/2026-04-01/manifest.json': Buffer.from('{"files":["1.jsonl.gz"]}'),
      'enriched/run=2026-06-01/part-0.gz': gzipSync(exported('snowplow.tsv')),
      'enriched/run=2026-06-01/_SUCCESS': Buffer.alloc(0),
    },
    files: {
      'mixpanel.ndjson': Buffer.from(exported('mixpanel.ndjson')),
      'ga4/20260501-000000000000.json.gz': gzipSync(exported('ga4.ndjson')),
      'export.zip': await zipOf([hour(12, amplitude.slice(0, 6)), hour(13, amplitude.slice(6))]),
    },
  };
}

interface Shell {
  readonly cwd: string;
  readonly receiver: Receiver;
  /** Runs a line of a page; both streams as on a terminal. */
  readonly run: (line: string) => Promise<string>;
}

async function openShell(files: Record<string, Buffer> = {}, s3?: string): Promise<Shell> {
  const cwd = folderWith();
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), bytes);
  }
  const tools = folderWith();
  symlinkSync(program, join(tools, 'evfwd'));
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const { PATH = '', HOME = '' } = process.env;
  const env = {
    ...{ PATH: [tools, dirname(process.execPath), PATH].join(delimiter), HOME },
    ...{ AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'us-east-1' },
  };
  const place = s3 === undefined ? '' : ` --s3-endpoint ${s3}`;
  const run = (line: string): Promise<string> => {
    const local = line.replaceAll('http://localhost:3000/hook', receiver.url);
    const command = `${local}${local.startsWith('evfwd') ? place : ''} 2>&1`;
    return new Promise((resolve) =>
      execFile('bash', ['-c', command], { cwd, env }, (_error, stdout) => resolve(stdout)),
    );
  };
  return { cwd, receiver, run };
}

describe('the command of docs/archives.md for an export', () => {
  it('is there for each vendor', () => {
    const named = [
      ...pageText('archives').matchAll(/^(?:\$ )?evfwd import .* --from (\w+) --url/gm),
    ];
    expect(named.map(([, vendor]) => vendor)).toEqual(vendorNames);
  });

  it.each<[vendor: string, delivered: number, summary: string, body: string]>([
    [
      'segment',
      8,
      'read 10, delivered 8, rejected 1, skipped 1',
      '{"version":1,"type":"track","userId":"user-1","anonymousId":"anon-1","messageId":"node-next-1700000000001-a","timestamp":"2026-01-15T08:30:00.123Z","context":{"ip":"203.0.113.7","library":{"name":"@segment/analytics-node","version":"2.1.0"}},"event":"Order Completed","properties":{"order_id":9007199254740993,"total":12.50,"note":"caf\\u00e9"}}',
    ],
    [
      'rudderstack',
      10,
      'read 12, delivered 10, rejected 1, skipped 1',
      '{"version":1,"type":"track","userId":"u1","anonymousId":"anon-1","messageId":"7d6a2b1e-1","timestamp":"2026-02-01T10:00:00.300Z","context":{"app":{"name":"Shop"}},"event":"Product Viewed","properties":{"sku":"A-1","price":10.00}}',
    ],
    [
      'mixpanel',
      12,
      'read 14, delivered 12, rejected 2',
      '{"version":1,"type":"track","userId":"user-1","messageId":"hpuDqcvpltpCjBsebtxwadtEBDnFAdycabFb","timestamp":"2020-10-13T17:48:31.000Z","event":"Signed Up","properties":{"$city":"Berlin","mp_country_code":"DE","plan":"pro","id64":9007199254740993,"rate":1.50}}',
    ],
    [
      'amplitude',
      8,
      'read 11, delivered 8, rejected 2, skipped 1',
      '{"version":1,"type":"page","anonymousId":"dev-2","messageId":"0f1e-2","timestamp":"2026-03-01T12:35:00Z","context":{"traits":{},"browser":{"name":"Chrome","version":"142"},"library":{"name":"amplitude-ts/2"},"os":{"name":"Linux"},"amplitude":{"platform":"Web"}},"properties":{"[Amplitude] Page URL":"https://shop.example/"}}',
    ],
    [
      'posthog',
      8,
      'read 11, delivered 8, rejected 3',
      '{"version":1,"type":"track","userId":"user-1","anonymousId":"dev-1","messageId":"018d-1","timestamp":"2026-04-01T09:00:00.123456+00:00","context":{"ip":"203.0.113.1","traits":{"email":"u1@shop.example"}},"event":"Order Completed","properties":{"$device_id":"dev-1","$is_identified":true,"total":12.50,"big":9007199254740993,"$set":{"plan":"pro"}}}',
    ],
    [
      'ga4',
      7,
      'read 10, delivered 7, rejected 3',
      '{"version":1,"type":"track","userId":"user-2","anonymousId":"2.2","messageId":"9a013929100aab335e583daa7b139d53923b08d1","timestamp":"2026-05-01T08:14:57.000000Z","event":"purchase","properties":{"items":[{"item_id":"A-1","price":9.90,"quantity":"2"}],"ecommerce":{"transaction_id":"T-1"},"value":-5,"currency":"EUR"}}',
    ],
    [
      'snowplow',
      8,
      'read 11, delivered 8, rejected 3',
      '{"version":1,"type":"track","anonymousId":"duid-2","messageId":"e-2","timestamp":"2026-06-01T07:01:00.000Z","context":{"app":{"name":"shop"},"platform":"web","library":{"name":"sp","version":"js-3.20.0"}},"event":"Add To Cart","properties":{"category":"cart","action":"Add To Cart","label":"A-1","value":12.50}}',
    ],
  ])('sends the events of %s', async (vendor, delivered, summary, body) => {
    const { objects, files } = await exportsOf();
    const store = await startS3Server({ objects, secret: 'secret' });
    const { run, receiver } = await openShell(files, store.url);
    const command = new RegExp(`^(?:\\$ )?(evfwd import .* --from ${vendor} --url .*)$`, 'm');
    const [, line = ''] = command.exec(pageText('archives')) ?? [];
    const counts = [
      ...(await run(line)).matchAll(/^(read|delivered|rejected|failed|skipped) +(\d+)/gm),
    ];
    expect(counts.map(([, name, count]) => `${name} ${count}`).join(', ')).toBe(summary);
    const bodies = receiver.requests.map(({ body: bytes }) => bytes.toString('utf8'));
    expect(bodies).toHaveLength(delivered);
    expect(bodies).toContain(body);
  });
});

it.each<[page: string, bodies: number]>([
  ['archives', 1],
  ['masking', 3],
  ['validate', 0],
])('docs/%s.md shows what the program prints and sends', async (page, count) => {
  const { files } = await exportsOf();
  const { cwd, run, receiver } = await openShell(files);
  const text = pageText(page);
  const examples = transcripts(text);
  expect(examples.length).toBeGreaterThan(3);
  for (const { line, output } of examples) {
    const [, file] = /^cat (\S+)$/.exec(line) ?? [];
    if (file !== undefined) writeFileSync(join(cwd, file), output);
    else if (!line.includes('| openssl ') || hasTool('openssl'))
      expect(`$ ${line}\n${steady(await run(line))}`).toBe(`$ ${line}\n${steady(output)}`);
  }
  const bodies = [...text.matchAll(/^\{"version":1,.*$/gm)].map(([body]) => body);
  expect(bodies).toHaveLength(count);
  const received = receiver.requests.map(({ body }) => body.toString('utf8'));
  expect(received).toEqual(expect.arrayContaining(bodies));
});

/** The lines after `$` of a page, in order, each with what the page says it prints. */
function transcripts(text: string): { line: string; output: string }[] {
  return [...text.matchAll(/^( *)```console\n([^]*?)^\1```/gm)].flatMap(([, indent, block]) =>
    block!
      .replace(new RegExp(`^${indent}`, 'gm'), '')
      .split(/^\$ /m)
      .slice(1)
      .map((example) => {
        const [line = '', ...output] = example.split('\n');
        return { line, output: output.join('\n') };
      }),
  );
}

/** Without durations, ports, and the hash of the state. */
function steady(text: string): string {
  return text
    .replace(/^in [\d.]+ m?s.*$/gm, 'in …')
    .replace(/http:\/\/(?:127\.0\.0\.1|localhost):\d+/g, 'http://host')
    .replace(/-[0-9a-f]{12}\.dead-letter/g, '-….dead-letter');
}
