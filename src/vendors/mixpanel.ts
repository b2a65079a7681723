import { textBytes } from '../events/map/text-bytes.js';
import { ObjectEditor } from '../json/object-editor.js';
import { ObjectText } from '../json/object-text.js';
import { filled, spellingOf } from './record.js';
import type { Vendor } from './vendor.js';

/**
 * Mixpanel's raw export. Projects made before 2023 store times in the project's own zone: a map with
 * `timestamp: { path: properties.time, unit: auto, zone: Europe/Berlin, local: true }` says so.
 */
export const mixpanel: Vendor = {
  name: 'mixpanel',
  map: {
    type: {
      path: 'event',
      values: { $mp_web_page_view: 'page', $identify: 'identify', $create_alias: 'alias' },
      default: 'track',
    },
    event: 'event',
    messageId: 'properties.$insert_id',
    userId: 'userId',
    anonymousId: 'anonymousId',
    previousId: 'previousId',
    // Seconds; above 10^10 milliseconds.
    timestamp: { path: 'properties.time', unit: 'auto', zone: 'UTC', required: true },
    properties: 'properties.*',
    drop: [
      'properties.distinct_id',
      'properties.$mp_api_endpoint',
      'properties.mp_processing_time_ms',
      'properties.$mp_api_timestamp_ms',
      'properties.$geo_source',
    ],
  },
  before: (bytes) => {
    const record = new ObjectText(bytes);
    const properties = record.child('properties');
    if (!properties) return [bytes];
    const editor = new ObjectEditor(record);
    for (const [name, id] of Object.entries<Buffer | undefined>({ ...idsOf(record, properties) })) {
      editor.remove(name);
      if (id !== undefined) editor.set(name, id);
    }
    return [textBytes(editor.text())];
  },
};

interface Ids {
  readonly userId: Buffer | undefined;
  readonly anonymousId: Buffer | undefined;
  readonly previousId: Buffer | undefined;
}

function idsOf(record: ObjectText, properties: ObjectText): Ids {
  const own = (name: string) => filled(properties, name);
  const event = spellingOf(filled(record, 'event'));
  if (event === '$create_alias') {
    // `alias` is the new name of the person that `distinct_id` names.
    return { userId: own('alias'), anonymousId: undefined, previousId: own('distinct_id') };
  }
  const persons = personsOf(properties);
  if (event !== '$identify') return { ...persons, previousId: undefined };
  return {
    userId: own('$identified_id') ?? persons.userId,
    anonymousId: withoutPrefix(own('$anon_id')) ?? persons.anonymousId,
    previousId: undefined,
  };
}

/**
 * `$distinct_id_before_identity` is the id that the event was sent with; only where it exists was `distinct_id`
 * replaced by the id of a merged person, which can be one that Mixpanel made.
 */
function personsOf(properties: ObjectText): Pick<Ids, 'userId' | 'anonymousId'> {
  const before = filled(properties, '$distinct_id_before_identity');
  const ids = [before, filled(properties, '$user_id'), filled(properties, 'distinct_id')];
  const given = ids.filter((id) => id !== undefined);
  const isMade = (id: Buffer) => isDevice(id) || (before !== undefined && isGenerated(id));
  return {
    userId: given.find((id) => !isMade(id)),
    anonymousId:
      withoutPrefix(given.find(isMade)) ?? withoutPrefix(filled(properties, '$device_id')),
  };
}

const devicePrefix = '$device:';

function isDevice(id: Buffer): boolean {
  return spellingOf(id)!.startsWith(devicePrefix);
}

function isGenerated(id: Buffer): boolean {
  return /^[A-Z0-9-]+$/.test(spellingOf(id)!);
}

/** Without it the id equals `$device_id`, which other events of the device have. */
function withoutPrefix(id: Buffer | undefined): Buffer | undefined {
  if (!id || !isDevice(id)) return id;
  return Buffer.from(JSON.stringify(spellingOf(id)!.slice(devicePrefix.length)));
}
