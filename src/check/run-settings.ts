import { UsageError } from '../errors.js';
import { isHeaderName } from '../http/header-rules.js';
import { requestSigner, type SigningSettings } from '../sign/request-signer.js';
import type { Endpoint } from '../webhook/endpoint.js';
import { headerPairs } from '../webhook/settings.js';
import { checkStaticHeaders } from '../webhook/signing.js';
import { batched } from './senders/batched.js';
import { senderOf } from './senders/index.js';
import type { SampleText } from './senders/parse-sample.js';
import { sampleSender } from './senders/sample.js';
import type { FieldLocation, Sender } from './senders/sender.js';
import { defaultDeadlineMs, defaultRate, type CheckSettings } from './settings.js';

/** What a run is asked for; the rest of its settings follows, or has a default. */
export interface RunInput
  extends
    Pick<
      CheckSettings,
      'signing' | 'batch' | 'ca' | 'clientCertificate' | 'probe' | 'handshake' | 'curlFlags'
    >,
    Partial<Record<'deadlineMs' | 'rate', number | undefined>> {
  readonly endpoint: Endpoint;
  /** None: the events of the scheme's sender. */
  readonly samples: readonly SampleText[];
  /** `data.id` */
  readonly idPath?: string | undefined;
  readonly idHeader?: string | undefined;
  readonly isStrict?: boolean | undefined;
}

/** @throws UsageError for a sample that cannot be sent, and for an id that it does not have */
export function runSettings(input: RunInput): CheckSettings {
  const { endpoint, signing, batch, deadlineMs, rate, isStrict } = input;
  const { ca, clientCertificate, probe, handshake, curlFlags } = input;
  const given = new URL(endpoint.url);
  const sender = chosenSender(input, given);
  return {
    url: urlFor(given, sender),
    headers: headerPairs(endpoint.headers),
    ...{ signing, sender, batch, ca, clientCertificate, probe, handshake, curlFlags },
    deadlineMs: deadlineMs ?? ownDeadlineMs(input) ?? defaultDeadlineMs,
    rate: rate ?? defaultRate,
    isStrict: isStrict ?? false,
  };
}

/**
 * Each event is signed with one secret alone, also where the scheme carries several.
 * @param where begins messages about the secrets, and those about static headers
 * @returns what the user should know of the secrets
 * @throws UsageError for a secret that is not in the form of the scheme, and for a static header that it sets
 */
export function checkSigning(
  { scheme, secrets }: SigningSettings,
  endpoint: Endpoint,
  where: { readonly secret: string; readonly header: string },
): readonly string[] {
  const signers = secrets.map((one) => requestSigner({ scheme, secrets: [one] }, where.secret));
  checkStaticHeaders([endpoint], signers.slice(0, 1), where.header);
  return [...new Set(signers.flatMap(({ warnings }) => warnings))];
}

/** Of the scheme's sender, which has no arrays. */
function ownDeadlineMs({ signing, batch }: RunInput): number | undefined {
  return batch ? undefined : senderOf(signing?.scheme).deadlineMs;
}

function chosenSender(input: RunInput, url: URL): Sender {
  const samples = sampleSenderOf(input, url);
  return input.batch ? batched(samples) : (samples ?? senderOf(input.signing?.scheme));
}

function sampleSenderOf({ samples, signing, ...ids }: RunInput, url: URL): Sender | undefined {
  const scheme = signing?.scheme;
  const id = idLocation(ids);
  const [first, ...others] = samples;
  if (first) {
    const keepsPath = url.pathname === '/' && url.search === '';
    return sampleSender([first, ...others], { scheme, id, keepsPath });
  }
  if (!id) return undefined;
  throw new UsageError('--id-path and --id-header are for --body; use them with it');
}

function idLocation({
  idPath,
  idHeader,
}: Pick<RunInput, 'idPath' | 'idHeader'>): FieldLocation | undefined {
  if (idPath !== undefined && idHeader !== undefined) {
    throw new UsageError('--id-path and --id-header exclude each other; use one');
  }
  if (idHeader !== undefined && !isHeaderName(idHeader)) {
    throw new UsageError('--id-header: not the name of a header; use a name like X-Event-Id');
  }
  if (idHeader !== undefined) return { header: idHeader };
  return idPath === undefined ? undefined : { path: idPath.split('.') };
}

/** What is no event, such as GET, goes to the path of the first sample as well. */
function urlFor(url: URL, { usual }: Sender): URL {
  const { path } = usual.make({ id: '', nowMs: 0 });
  return path === undefined ? url : new URL(url.origin + path);
}
