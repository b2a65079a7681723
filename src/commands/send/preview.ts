import { eventBatch } from '../../collector/batch.js';
import { collectorUrl } from '../../collector/endpoint.js';
import type { TargetSettings } from '../../config/open-target.js';
import { notWanted } from '../../delivery/outcome.js';
import type { Outgoing } from '../../delivery/target.js';
import { exitCodes } from '../../errors.js';
import { version } from '../../version.js';
import { bodyOf } from '../../webhook/body.js';
import { batchOfOne } from '../../webhook/event-batch.js';
import { fixedHeaders } from '../../webhook/request.js';
import { checkEndpoints, headerPairs } from '../../webhook/settings.js';
import { Signing } from '../../webhook/signing.js';
import type { Io } from '../shared/command.js';
import { print, say } from '../shared/output.js';
import {
  authorizationHeader,
  plainHeader,
  secretHeader,
  showRequests,
  type PreviewedRequest,
  type PreviewFlags,
} from './request-preview.js';
import { noteUnwanted, type Unwanted } from './unwanted.js';

/** Shows the requests of an event, for `--dry-run` and `--curl`. */
export function previewRequests(
  settings: TargetSettings,
  outgoing: Outgoing,
  unwanted: Unwanted | undefined,
  flags: PreviewFlags,
  io: Io,
): void {
  const signing = settings.kind === 'webhooks' ? (settings.signing ?? []) : [];
  const requests = requestsTo(settings, outgoing);
  const shown = unwanted ? unwanted.wanting.map((index) => requests[index]!) : requests;
  showRequests(shown, signing, flags, io);
  if (unwanted) showUnwanted(unwanted, flags, io);
}

/** What is not sent, and why. */
function showUnwanted(unwanted: Unwanted, flags: PreviewFlags, io: Io): void {
  const { urls, outcome } = unwanted;
  if (outcome) io.exit(exitCodes.negative);
  if (flags.json) {
    for (const { url, reason } of urls)
      print(io, JSON.stringify({ type: 'skipped', url, code: notWanted, message: reason }));
  } else if (outcome) say(io, `evfwd: not sent: ${outcome.message}`);
  else if (!flags.quiet) noteUnwanted(unwanted, io);
}

function requestsTo(settings: TargetSettings, outgoing: Outgoing): PreviewedRequest[] {
  const { event, stamp } = outgoing;
  if (settings.kind === 'collector') {
    const body = eventBatch(event, stamp, Date.now());
    const headers = [
      plainHeader(['User-Agent', `evfwd/${version}`]),
      plainHeader(['Content-Type', 'application/json']),
    ];
    const url = collectorUrl(settings.endpoint, settings.where);
    return [{ url, headers, body, proxy: settings.proxy, needsWriteKey: true }];
  }
  checkEndpoints(settings.endpoints, settings.where);
  const text = bodyOf(settings.body ?? 'webhook', event, stamp);
  const { id, body } = settings.batch
    ? batchOfOne(outgoing, text)
    : { id: stamp.messageId, body: text };
  const { endpoints, where } = settings;
  const signing = new Signing(
    { settings: settings.signing ?? [], endpoints, now: Date.now },
    where,
  );
  return endpoints.map((endpoint, index) => {
    const given = headerPairs(endpoint.headers).map(secretHeader);
    const own = fixedHeaders({ url: endpoint.url }).map(plainHeader);
    const signed = signing.request(body, id, index);
    const auth = endpoint.auth ? [authorizationHeader(endpoint.auth)] : [];
    const headers = [...own, ...given, ...auth, ...signed.headers.map(plainHeader)];
    const { proxy, tls } = endpoint;
    return { url: signed.url ?? endpoint.url, headers, body, proxy, tls: tls?.files };
  });
}
