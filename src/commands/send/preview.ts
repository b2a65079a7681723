import { eventBatch } from '../../collector/batch.js';
import { collectorUrl } from '../../collector/endpoint.js';
import type { TargetSettings } from '../../config/open-target.js';
import type { Outgoing } from '../../delivery/target.js';
import { version } from '../../version.js';
import { bodyOf } from '../../webhook/body.js';
import { fixedHeaders } from '../../webhook/request.js';
import { checkEndpoints, headerPairs } from '../../webhook/settings.js';
import { Signing } from '../../webhook/signing.js';
import type { Io } from '../shared/command.js';
import {
  plainHeader,
  secretHeader,
  showRequests,
  type PreviewedRequest,
  type PreviewFlags,
} from './request-preview.js';

/** Shows the requests of an event, for `--dry-run` and `--curl`. */
export function previewRequests(
  settings: TargetSettings,
  outgoing: Outgoing,
  flags: PreviewFlags,
  io: Io,
): void {
  const signing = settings.kind === 'webhooks' ? (settings.signing ?? []) : [];
  showRequests(requestsTo(settings, outgoing), signing, flags, io);
}

function requestsTo(settings: TargetSettings, { event, stamp }: Outgoing): PreviewedRequest[] {
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
  const body = bodyOf(settings.body ?? 'webhook', event, stamp);
  const { endpoints, where } = settings;
  const signing = new Signing(
    { settings: settings.signing ?? [], endpoints, now: Date.now },
    where,
  );
  return endpoints.map((endpoint, index) => {
    const given = headerPairs(endpoint.headers).map(secretHeader);
    const own = fixedHeaders({ url: endpoint.url }).map(plainHeader);
    const signed = signing.request(body, stamp.messageId, index);
    const headers = [...own, ...given, ...signed.headers.map(plainHeader)];
    return { url: signed.url ?? endpoint.url, headers, body, proxy: endpoint.proxy };
  });
}
