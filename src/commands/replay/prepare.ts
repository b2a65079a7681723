import { MissingTargetError } from '../../config/missing-target.js';
import type { TargetSettings } from '../../config/open-target.js';
import { parseHeaders } from '../../config/target.js';
import { UsageError } from '../../errors.js';
import { connectionHeaders, isHeaderName, isHeaderValue } from '../../http/header-rules.js';
import { withAuth, type Composition } from '../../replay/compose.js';
import { baseUrl } from '../../replay/path.js';
import { headersOfSchemes, idHeadersOf } from '../../replay/sign-anew.js';
import { requestSigner, type RequestSigner } from '../../sign/request-signer.js';
import { presets } from '../../sign/schemes/index.js';
import { checkEndpoints, headerPairs, maxHeaders } from '../../webhook/settings.js';
import type { Io } from '../shared/command.js';
import { say } from '../shared/output.js';
import { missingParts, missingTarget } from '../shared/missing.js';
import { hasSources } from '../shared/sources.js';
import { findOwnSchemes } from '../shared/signing-flags.js';
import { resolveTarget } from '../shared/target-flags.js';
import type { ReplayFlags } from './flags.js';

export type WebhookSettings = Extract<TargetSettings, { kind: 'webhooks' }>;

/** What every replay begins with: where to, and what is made of a recorded request. */
export interface Prepared {
  readonly settings: WebhookSettings;
  readonly compositions: readonly Composition[];
  /** None: what was recorded goes along. */
  readonly signers: readonly RequestSigner[];
  /** As in `requestId`. */
  readonly idHeaders: readonly string[];
}

/** @throws UsageError when flags or configuration are not valid; nothing was written then */
export async function prepare(files: string[], flags: ReplayFlags, io: Io): Promise<Prepared> {
  const settings = await resolveWebhooks(files, flags, io);
  checkEndpoints(settings.endpoints, settings.where);
  const signing = flags.keepSignature ? [] : (settings.signing ?? []);
  const signers = signing.map((one) => requestSigner(one, 'signature'));
  const known = [...signing.map(({ scheme }) => scheme), ...presets.values()];
  const schemes = [...known, ...(await findOwnSchemes(flags, io))];
  const added = addedHeaders(flags, signers);
  const dropped = new Set((flags.dropHeader ?? []).map((name) => name.toLowerCase()));
  if (signers.length > 0) for (const name of headersOfSchemes(schemes)) dropped.add(name);
  const compositions = settings.endpoints.map(({ url, headers, proxy, auth, tls }) => {
    const own = { base: baseUrl(url), proxy, added: [...headerPairs(headers), ...added], dropped };
    return withAuth({ ...own, ...(tls && { tls }) }, auth);
  });
  return { settings, compositions, signers, idHeaders: idHeadersOf(schemes) };
}

/**
 * For a replay that changes bodies.
 * @throws UsageError without a secret, unless the recorded signatures are to be sent
 */
export function checkSignatures({ keepSignature }: ReplayFlags, { signers }: Prepared): void {
  if (keepSignature || signers.length > 0) return;
  throw new UsageError(
    'a changed body does not fit its recorded signature: sign anew with --secret-file, or send the recorded one with --keep-signature',
    'no_secret',
  );
}

/** Says that the batch of a profile has no effect on recorded requests. */
export function noteOfBatch({ settings }: Prepared, { quiet }: ReplayFlags, io: Io): void {
  if (settings.batch && !quiet) say(io, sentOneByOne);
}

const sentOneByOne =
  'note: each request is sent as it was recorded; the batch of the profile is for events';

async function resolveWebhooks(
  files: string[],
  flags: ReplayFlags,
  io: Io,
): Promise<WebhookSettings> {
  // Headers have other rules here: a replay may replace those that a webhook sets.
  const rest = { ...flags };
  delete rest.header;
  const settings = await resolveTarget(rest, io, 0).catch(missingTarget);
  if (settings instanceof MissingTargetError) {
    if (hasSources(files, flags, io)) throw new UsageError(noUrl, 'no_target');
    throw missingParts(
      ['captures (as arguments or from a pipe)', 'a URL (--url)'],
      'evfwd replay got.ndjson --url http://localhost:3000',
    );
  }
  if (settings.kind === 'webhooks') return settings;
  throw new UsageError(`a collector takes no recorded requests; ${noUrl}`, 'no_target');
}

const noUrl = 'no URL: use --url or EVFWD_URL, e.g. --url http://localhost:3000';

/** @throws UsageError that names the header; its value is never shown */
function addedHeaders(
  { header = [] }: ReplayFlags,
  signers: readonly RequestSigner[],
): readonly (readonly [string, string])[] {
  const pairs = parseHeaders(header);
  if (pairs.length > maxHeaders) {
    throw new UsageError(`--header: at most ${maxHeaders} headers, not ${pairs.length}`);
  }
  for (const [name, value] of pairs) checkHeader(name, value, signers);
  return pairs;
}

function checkHeader(name: string, value: string, signers: readonly RequestSigner[]): void {
  if (!isHeaderName(name)) {
    throw new UsageError(
      "--header: a header must be 'Name: value', with only letters, digits and dashes in its name",
    );
  }
  const lower = name.toLowerCase();
  if (connectionHeaders.includes(lower)) {
    throw new UsageError(`--header: the header ${name} is set by evfwd and cannot be replaced`);
  }
  const owner = signers.find(({ headerNames }) => headerNames.includes(lower));
  if (owner) {
    throw new UsageError(
      `--header: the header ${name} is set by the scheme ${owner.scheme.name} and cannot be replaced`,
    );
  }
  if (isHeaderValue(value)) return;
  throw new UsageError(
    `--header: the value of the header ${name} has characters that HTTP cannot carry (newlines, or outside Latin-1)`,
  );
}
