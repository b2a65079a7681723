import { UsageError } from '../errors.js';
import { checkUrl } from '../http/url.js';
import { quoted } from '../quoted.js';
import { suggestion } from '../nearest.js';
import { schemeNamed } from '../sign/schemes/index.js';
import type { SigningSettings } from '../sign/request-signer.js';
import type { Bytes } from '../sign/x-signature.js';
import { defaultBatch } from '../webhook/batch-settings.js';
import { checkEndpoints } from '../webhook/settings.js';
import { checksFor } from './groups/index.js';
import type { CheckOptions, EndpointCheck, EndpointReport } from './options.js';
import type { ReportedResult } from './result.js';
import { runChecks } from './run.js';
import { selectChecks } from './select.js';
import { checkSigning, runSettings } from './run-settings.js';
import { vendors, type CheckSettings } from './settings.js';

/** The work of the library's `check`. */
export async function checkEndpoint(url: string, options: CheckOptions): Promise<EndpointReport> {
  const settings = settingsOf(url, options);
  const checks = selectChecks(checksFor(settings), options, settings.sender.usual.name);
  const signal = options.signal ?? new AbortController().signal;
  const { results, summary, isConclusive, incomplete } = await runChecks({
    checks,
    settings,
    signal,
  });
  const ok = isConclusive && summary.fail === 0 && incomplete === undefined && !signal.aborted;
  return { ok, ...summary, checks: results.map(endpointCheck) };
}

function endpointCheck(result: ReportedResult): EndpointCheck {
  const { check, level, verdict, message, durationMs, curl } = result;
  const { id, title, why, fix } = check;
  const texts = { title, message, why, fix };
  return { id, level, verdict, ...texts, durationMs, ...(curl !== undefined && { curl }) };
}

function settingsOf(url: string, options: CheckOptions): CheckSettings {
  const { headers = {}, ca = [], strict, handshake: vendor, handshakeToken } = options;
  const { probe, bodies = {}, idPath, idHeader, deadlineMs, rate } = options;
  const endpoint = { url, headers };
  checkUrl(url, 'check');
  checkEndpoints([endpoint], 'check');
  const signing = signingOf(options);
  if (signing) checkSigning(signing, endpoint, { secret: 'check: secret', header: 'check' });
  return runSettings({
    batch: options.batch ? defaultBatch : undefined,
    ...{ endpoint, signing, idPath, idHeader, ca, deadlineMs, rate, isStrict: strict },
    samples: Object.entries(bodies).map(([name, text]) => ({
      ...{ name, text },
      where: `check: the body ${quoted(name, 'with this name')}`,
    })),
    probe: probe && (async () => probe()),
    handshake: vendor === undefined ? undefined : handshakeOf(vendor, handshakeToken),
  });
}

function signingOf({ scheme: name, secret }: CheckOptions): SigningSettings | undefined {
  if (secret === undefined) {
    if (name === undefined) return undefined;
    throw new UsageError('check: scheme needs a secret; pass both', 'no_secret');
  }
  const secrets = (Array.isArray(secret) ? secret : [secret]) as readonly Bytes[];
  return { scheme: schemeNamed(name ?? 'x-signature', [], 'check'), secrets };
}

function handshakeOf(vendor: string, token: string | undefined): CheckSettings['handshake'] {
  const known = vendors.find((name) => name === vendor);
  if (known) return { vendor: known, token };
  throw new UsageError(`check: unknown handshake; ${suggestion(vendor, vendors)}`);
}
