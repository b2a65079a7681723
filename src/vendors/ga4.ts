import { textBytes } from '../events/map/text-bytes.js';
import { createHash } from 'node:crypto';
import type { TextPart } from '../json/composed-text.js';
import { ObjectEditor } from '../json/object-editor.js';
import { ObjectText } from '../json/object-text.js';
import { elementsOf, filled, objectFrom, stringOf } from './record.js';
import type { Vendor } from './vendor.js';

/** The tables `events_*` of the BigQuery export of Google Analytics 4, as NDJSON. */
export const ga4: Vendor = {
  name: 'ga4',
  map: {
    type: {
      path: 'event_name',
      values: { page_view: 'page', screen_view: 'screen' },
      default: 'track',
    },
    event: 'event_name',
    name: 'event_params.firebase_screen',
    messageId: 'event_hash',
    userId: 'user_id',
    anonymousId: 'user_pseudo_id',
    timestamp: { path: 'event_timestamp', unit: 'us', required: true },
    properties: { '*': 'event_params.*', items: 'items', ecommerce: 'ecommerce' },
    context: {
      traits: 'user_properties',
      device: 'device',
      location: 'geo',
      app: 'app_info',
      trafficSource: 'traffic_source',
      platform: 'platform',
      streamId: 'stream_id',
    },
  },
  before: (bytes) => {
    const record = new ObjectText(bytes);
    if (!record.isValid) return [bytes];
    const editor = new ObjectEditor(record).set('event_hash', `"${hashOf(record)}"`);
    for (const name of ['event_params', 'user_properties']) {
      const list = filled(record, name);
      if (!list) continue;
      const object = objectFrom(elementsOf(list).map(pairOf));
      if (object) editor.set(name, object);
      else editor.remove(name);
    }
    if (elementsOf(filled(record, 'items')).length === 0) editor.remove('items');
    return [textBytes(editor.text())];
  },
};

/** What tells events apart: they have no id, and those of a request can have the same time. */
const identity = [
  'stream_id',
  'user_pseudo_id',
  'user_id',
  'event_timestamp',
  'event_name',
  'event_bundle_sequence_id',
  'batch_page_id',
  'batch_ordering_id',
  'batch_event_index',
  'event_params',
];

function hashOf(record: ObjectText): string {
  const hash = createHash('sha1');
  for (const name of identity) hash.update(filled(record, name) ?? 'null').update('\n');
  return hash.digest('hex');
}

const valueNames = ['string_value', 'int_value', 'float_value', 'double_value'];

/** Of a pair `{key, value: {string_value, …}}`. All kinds of values are there, and null but one. */
function pairOf(pair: Buffer): readonly [string, TextPart | undefined] {
  const object = new ObjectText(pair);
  const values = object.child('value');
  const key = stringOf(filled(object, 'key')) ?? '';
  for (const name of values && key !== '' ? valueNames : []) {
    const member = values!.find(name);
    if (!member || values!.bytes[member.start] === 0x6e) continue;
    const value = values!.bytes.subarray(member.start, member.end);
    return [key, name === 'int_value' ? integerOf(value) : value];
  }
  return [key, undefined];
}

/** BigQuery writes integers as texts, since they have 64 bits. */
function integerOf(value: Buffer): TextPart {
  const digits = stringOf(value);
  return digits !== undefined && /^-?(?:0|[1-9]\d*)$/.test(digits) ? digits : value;
}
