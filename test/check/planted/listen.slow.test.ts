import { describe, expect, it } from 'vitest';
import { check as checkEndpoint } from '../../../src/check/library.js';
import type { EndpointReport } from '../../../src/check/options.js';
import { createReceiver } from '../../../src/listen/library.js';
import { presets } from '../../../src/sign/schemes/index.js';
import { secret } from '../helpers/right-endpoints.js';

async function reportOf(scheme: string, isStrict: boolean): Promise<EndpointReport> {
  const receiver = await createReceiver({ scheme, secret, enforce: isStrict, dedupe: isStrict });
  try {
    const options = { scheme, secret, rate: 1_000, skip: ['http.idle'] };
    return await checkEndpoint(`${receiver.url}/hook`, options);
  } finally {
    await receiver.close();
  }
}

const against = ({ checks }: EndpointReport) =>
  checks
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
    .map(({ id, verdict }) => `${verdict} ${id}`);

const forgeries = [
  ...['missing', 'wrong-key', 'tampered', 'swapped', 'empty', 'cut', 'flipped'],
  ...['other-digest', 'content-type', 'empty-body'],
];

/** The refusals; the libraries of some senders accept times ahead. */
function refusalsOf(scheme: string): string[] {
  const { toleranceMs, judgesFuture } = presets.get(scheme)!;
  const future = judgesFuture ? ['fail time.future'] : [];
  const times = toleranceMs === undefined ? [] : ['fail time.old', ...future, 'fail time.unsigned'];
  return [...forgeries.map((name) => `fail sign.${name}`), 'warn sign.method', ...times];
}

const schemes = [...presets.keys()];

describe.concurrent('evfwd listen', () => {
  it.each(schemes)('with --enforce and --dedupe is a good receiver of %s', async (scheme) => {
    const report = await reportOf(scheme, true);
    expect(against(report)).toEqual([]);
    expect(report.score).toBe(100);
    expect(report.ok).toBe(true);
  });

  it.each(schemes)('without flags fails the refusals of %s, and nothing else', async (scheme) => {
    expect(against(await reportOf(scheme, false))).toEqual(refusalsOf(scheme));
  });
});
