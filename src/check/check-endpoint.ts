import { UsageError } from '../errors.js';
import { checkUrl } from '../http/url.js';
import { quoted } from '../quoted.js';
import { nearest } from '../nearest.js';
import { schemeNamed } from '../sign/schemes/index.js';
import { requestSigner, type SigningSettings } from '../sign/request-signer.js';
import type { Bytes } from '../sign/x-signature.js';
import { checkEndpoints } from '../webhook/settings.js';
import { checkStaticHeaders } from '../webhook/signing.js';
import { checksFor } from './groups/index.js';
import type { CheckOptions, EndpointCheck, EndpointReport } from './options.js';
import type { ReportedResult } from './result.js';
import { runChecks } from './run.js';
import { selectChecks } from './select.js';
import { chosenSender, urlFor } from './senders/chosen.js';
import { defaultDeadline, defaultRate, vendors, type CheckSettings } from './settings.js';

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
  const { headers = {}, ca = [], strict = false, handshake: vendor, handshakeToken } = options;
  checkUrl(url, 'check');
  checkEndpoints([{ url, headers }], 'check');
  const signing = signingOf(options);
  if (signing) {
    checkStaticHeaders([{ url, headers }], [requestSigner(signing, 'secret')], 'check');
  }
  const { probe, bodies = {}, idPath, idHeader } = options;
  const given = new URL(url);
  const samples = Object.entries(bodies).map(([name, text]) => ({
    ...{ name, text },
    where: `check: the body ${quoted(name, 'with this name')}`,
  }));
  const sender = chosenSender({ samples, idPath, idHeader, scheme: signing?.scheme, url: given });
  return {
    url: urlFor(given, sender),
    headers: Object.entries(headers),
    signing,
    sender,
    ca,
    deadlineMs: options.deadlineMs ?? defaultDeadline(options.scheme),
    rate: options.rate ?? defaultRate,
    ...(probe && { probe: async () => probe() }),
    ...(vendor !== undefined && { handshake: handshakeOf(vendor, handshakeToken) }),
    isStrict: strict,
  };
}

function signingOf({ scheme: name, secret }: CheckOptions): SigningSettings | undefined {
  if (secret === undefined) {
    if (name === undefined) return undefined;
    throw new UsageError('check: scheme needs a secret; pass both', 'no_secret');
  }
  const secrets = (Array.isArray(secret) ? secret : [secret]) as readonly Bytes[];
  const signing = { scheme: schemeNamed(name ?? 'x-signature', [], 'check'), secrets };
  // Signs nothing yet, but refuses a secret that is not in the form of the scheme.
  for (const one of secrets) requestSigner({ ...signing, secrets: [one] }, 'check: secret');
  return signing;
}

function handshakeOf(vendor: string, token: string | undefined): CheckSettings['handshake'] {
  const known = vendors.find((name) => name === vendor);
  if (known) return { vendor: known, token };
  throw new UsageError(`check: unknown handshake; did you mean ${nearest(vendor, vendors)!}?`);
}
