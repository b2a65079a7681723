import { UsageError } from '../../errors.js';
import { isObject } from '../../json/is-object.js';
import type { CheckEvent } from '../events.js';
import { analytics } from './analytics.js';
import {
  isFormKind,
  type EventKind,
  type FieldLocation,
  type Message,
  type Sender,
} from './sender.js';

/**
 * Sends each event in an array of one, as a target with `batch` does; samples that are arrays stay as they
 * are. Whatever the scheme, without samples these are the webhook bodies of analytics events, since no other
 * sender of a scheme has arrays.
 *
 * @throws UsageError for a sample that is a form, an empty array or a scalar
 */
export function batched(samples: Sender | undefined): Sender {
  const sender = samples ?? analytics;
  if (sender.kinds.some(isFormKind)) {
    throw new UsageError('--batch: a form cannot be in an array; leave out --batch or the form');
  }
  const { kinds, usual, root, free, id } = sender;
  if (samples) kinds.forEach(checkSample);
  if (root.length > 0)
    return { ...sender, kinds: kinds.map(inArray), usual: inArray(usual), isBatch: true };
  return {
    ...sender,
    kinds: kinds.map(inArray),
    usual: inArray(usual),
    root: ['0'],
    free: free && ['0', ...free],
    id: id && inFirst(id),
    isBatch: true,
  };
}

function checkSample({ make, what }: EventKind): void {
  const { json } = make({ id: '', nowMs: 0 });
  if (Array.isArray(json) ? json.length > 0 : isObject(json)) return;
  const is = Array.isArray(json) ? 'an empty array' : 'neither an object nor an array';
  throw new UsageError(`--batch: ${what} is ${is}; use an event or an array of events`);
}

/** As it is if it is an array. */
function inArray(kind: EventKind): EventKind {
  const make = (marks: Parameters<EventKind['make']>[0]): Message => {
    const message = kind.make(marks);
    return { ...message, json: [message.json] };
  };
  if (Array.isArray(kind.make({ id: '', nowMs: 0 }).json)) return kind;
  return { ...kind, what: `an array of ${kind.what.replace(/^a(?= valid)/, 'one')}`, make };
}

function inFirst(location: FieldLocation): FieldLocation {
  return 'header' in location ? location : { path: ['0', ...location.path] };
}

/** The elements of all these arrays in one, with the headers and the id of the first. */
export function joined(first: CheckEvent, ...others: readonly CheckEvent[]): CheckEvent {
  const elements = [first, ...others].map(({ body }) => body.subarray(1, -1).toString());
  return { ...first, body: Buffer.from(`[${elements.join(',')}]`) };
}
