import { textBytes } from '../events/map/text-bytes.js';
import { ObjectEditor } from '../json/object-editor.js';
import { ObjectText } from '../json/object-text.js';
import { filled, objectAt, stringOf } from './record.js';
import type { Vendor } from './vendor.js';

/** PostHog's batch exports: NDJSON with objects, or Parquet, where these are texts that hold JSON. */
export const posthog: Vendor = {
  name: 'posthog',
  map: {
    type: {
      path: 'event',
      values: {
        $pageview: 'page',
        $screen: 'screen',
        $identify: 'identify',
        $groupidentify: 'group',
        $create_alias: 'alias',
      },
      default: 'track',
    },
    event: 'event',
    name: 'properties.$screen_name',
    messageId: 'uuid',
    userId: 'userId',
    anonymousId: 'anonymousId',
    groupId: 'properties.$group_key',
    previousId: 'properties.alias',
    timestamp: { path: ['timestamp', 'created_at'], zone: 'UTC', required: true },
    properties: 'properties.*',
    traits: { path: ['properties.$group_set', 'properties.$set'] },
    context: {
      ip: { path: ['properties.$ip', 'ip'] },
      traits: 'person_properties',
      groupType: 'properties.$group_type',
      traitsOnce: 'properties.$set_once',
    },
    json: ['properties', 'person_properties'],
  },
  before: (bytes) => {
    const record = new ObjectText(bytes);
    if (!record.isValid) return [bytes];
    const editor = new ObjectEditor(record).remove('userId').remove('anonymousId');
    const { userId, anonymousId } = personsOf(record);
    if (userId) editor.set('userId', userId);
    if (anonymousId) editor.set('anonymousId', anonymousId);
    return [textBytes(editor.text())];
  },
};

function personsOf(record: ObjectText) {
  const id = filled(record, 'distinct_id');
  const properties = objectAt(record, 'properties');
  const device = filled(properties, '$device_id');
  const isAnonymous =
    filled(properties, '$is_identified')?.toString() === 'false' ||
    (id !== undefined && device?.equals(id) === true);
  // An alias is of two ids, whichever they are.
  const isAlias = stringOf(filled(record, 'event')) === '$create_alias';
  if (isAnonymous && !isAlias) return { userId: undefined, anonymousId: id };
  return { userId: id, anonymousId: filled(properties, '$anon_distinct_id') ?? device };
}
