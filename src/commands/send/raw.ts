import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { TargetSettings } from '../../config/open-target.js';
import type { Outgoing } from '../../delivery/target.js';
import { UsageError } from '../../errors.js';
import { builtHere } from '../../events/event.js';
import { reasonOf } from '../../sources/input.js';
import { isHeaderName, isHeaderValue } from '../../http/header-rules.js';
import { CaptureItem } from '../../replay/capture-item.js';
import { baseUrl } from '../../replay/path.js';
import { RequestFilters } from '../../replay/request-filters.js';
import { messageIdIn } from '../../replay/request-id.js';
import { RequestTarget } from '../../replay/request-target.js';
import { requestSigner } from '../../sign/request-signer.js';
import { version } from '../../version.js';
import { checkEndpoints, headerPairs } from '../../webhook/settings.js';
import { withAuth } from '../../replay/compose.js';
import { checkStaticHeaders, signingSecrets } from '../../webhook/signing.js';
import { checkTokens } from '../shared/check-tokens.js';
import type { Io } from '../shared/command.js';
import { warnOfVisibleSecret } from '../shared/secret-flags.js';
import { deliver, type DeliverFlags, type Delivering } from './deliver.js';
import type { PreviewFlags } from './request-preview.js';

/** What `--raw` sends, and how. */
export interface RawFlags extends DeliverFlags, PreviewFlags {
  raw?: string;
  dryRun?: boolean;
  method?: string;
  contentType?: string;
  messageId?: string;
}

type Webhooks = Extract<TargetSettings, { kind: 'webhooks' }>;

/** Sends one body as it is, signed, with nothing checked, or shows what would be sent. */
export async function sendRaw(flags: RawFlags, settings: TargetSettings, io: Io): Promise<void> {
  if (settings.kind !== 'webhooks') {
    throw new UsageError('--raw is for webhooks; use --url, and no collector');
  }
  checkEndpoints(settings.endpoints, settings.where);
  const { method = 'POST', contentType = 'application/json' } = flags;
  if (!isHeaderName(method) || method.toUpperCase() === 'CONNECT') {
    throw new UsageError('--method: must be a method of HTTP, e.g. POST or PUT');
  }
  if (!isHeaderValue(contentType)) {
    throw new UsageError('--content-type: has characters that HTTP cannot carry');
  }
  const body = await readBody(flags.raw ?? '-', io);
  const headers = ['User-Agent', `evfwd/${version}`, 'Content-Type', contentType];
  const messageId = flags.messageId ?? messageIdIn(body) ?? freshId();
  // Each URL has its own path, so this one is never used.
  const request = {
    id: '',
    receivedAt: undefined,
    method,
    path: '/',
    headers,
    body,
    response: undefined,
  };
  if (flags.dryRun || flags.curl) {
    const { previewRaw } = await import('./raw-preview.js');
    const filters = RequestFilters.of(settings.endpoints);
    const unwanted = settings.endpoints.map((_, index) => filters?.whyNot(body, index));
    const { signing = [] } = settings;
    const parts = { ...compositionsOf(settings), signing, messageId, unwanted };
    previewRaw(request, parts, flags, io);
    warnOfVisibleSecret(flags, io);
    return;
  }
  const event = new CaptureItem(body, builtHere('--raw', body.length), messageId, request);
  const outgoing: Outgoing = { event, stamp: { messageId, writesMessageId: true } };
  await checkTokens(settings);
  const allUrls = settings.allUrls || flags.expectStatus !== undefined;
  const open = (options: OpenOptions): Promise<RequestTarget> =>
    Promise.resolve(rawTarget({ ...settings, allUrls }, options));
  await deliver({ open, retryWindowMs: settings.retryWindowMs }, outgoing, flags, io);
}

type OpenOptions = Parameters<Delivering['open']>[0];

function rawTarget(settings: Webhooks, options: OpenOptions): RequestTarget {
  const { signing = [] } = settings;
  return new RequestTarget({
    ...settings,
    ...options,
    ...compositionsOf(settings),
    secrets: signing.flatMap(signingSecrets),
    returnsRetries: false,
    onDown: () => undefined,
    onCredentialsToOtherHost: () => undefined,
  });
}

/** @throws UsageError for headers and secrets that cannot be used */
function compositionsOf({ endpoints, signing = [], where }: Webhooks) {
  const signers = signing.map((one) => requestSigner(one, where));
  checkStaticHeaders(endpoints, signers, where);
  const compositions = endpoints.map(({ url, headers, proxy, auth, tls }) => {
    const added = headerPairs(headers);
    const own = { base: baseUrl(url, 'own'), proxy, added, dropped: new Set<string>() };
    return withAuth({ ...own, ...(tls && { tls }) }, auth);
  });
  return { compositions, signers };
}

function freshId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`;
}

/** @throws UsageError when the file cannot be read */
async function readBody(path: string, io: Io): Promise<Buffer> {
  if (path === '-') return buffer(io.stdin);
  try {
    return readFileSync(resolve(io.cwd, path));
  } catch (cause) {
    throw new UsageError(`--raw ${path}: ${reasonOf(cause)}`, 'unreadable_file', { cause });
  }
}
