import { UsageError } from '../../errors.js';
import { isHeaderName } from '../../http/header-rules.js';
import type { Scheme } from '../../sign/schemes/scheme.js';
import type { FieldLocation, Sender } from './sender.js';
import { senderOf } from './index.js';
import type { SampleText } from './parse-sample.js';
import { sampleSender } from './sample.js';

/** Whose events a run sends, as it is asked for. */
export interface SenderChoice {
  /** None: the events of the scheme's sender. */
  readonly samples: readonly SampleText[];
  /** `data.id` */
  readonly idPath?: string | undefined;
  readonly idHeader?: string | undefined;
  readonly scheme: Scheme | undefined;
  readonly url: URL;
}

/** @throws UsageError for a sample that cannot be sent, and for an id that it does not have */
export function chosenSender(choice: SenderChoice): Sender {
  const { samples, scheme, url } = choice;
  const id = idLocation(choice);
  const [first, ...others] = samples;
  if (first) {
    const keepsPath = url.pathname === '/' && url.search === '';
    return sampleSender([first, ...others], { scheme, id, keepsPath });
  }
  if (!id) return senderOf(scheme);
  throw new UsageError('--id-path and --id-header are for --body; use them with it');
}

function idLocation({ idPath, idHeader }: SenderChoice): FieldLocation | undefined {
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
export function urlFor(url: URL, { usual }: Sender): URL {
  const { path } = usual.make({ id: '', nowMs: 0 });
  return path === undefined ? url : new URL(url.origin + path);
}
