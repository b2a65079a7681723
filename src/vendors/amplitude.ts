import { textBytes } from '../events/map/text-bytes.js';
import type { TextPart } from '../json/composed-text.js';
import { ObjectEditor } from '../json/object-editor.js';
import { ObjectText } from '../json/object-text.js';
import { elementsOf, filled, spellingOf, stringOf } from './record.js';
import type { Vendor } from './vendor.js';

/** Amplitude's export: a zip of gzip files of NDJSON. Times are in UTC, without a zone. */
export const amplitude: Vendor = {
  name: 'amplitude',
  map: {
    type: {
      path: 'event_type',
      values: { '[Amplitude] Page Viewed': 'page', $identify: 'identify', $groupidentify: 'group' },
      default: 'track',
    },
    event: 'event_type',
    messageId: { path: ['uuid', '$insert_id'] },
    userId: 'user_id',
    anonymousId: 'device_id',
    groupId: 'group_id',
    timestamp: {
      path: ['event_time', 'client_event_time', 'server_received_time'],
      zone: 'UTC',
      required: true,
    },
    properties: 'event_properties',
    traits: { path: ['group_traits', 'user_properties'] },
    context: {
      ip: 'ip_address',
      locale: 'language',
      sessionId: 'session_id',
      groups: 'groups',
      traits: 'user_properties',
      app: { version: 'version_name' },
      browser: { name: 'browser_name', version: 'browser_version' },
      device: { manufacturer: 'device_manufacturer', model: 'device_model', type: 'device_type' },
      library: { name: 'library' },
      location: {
        city: 'city',
        country: 'country',
        region: 'region',
        latitude: 'location_lat',
        longitude: 'location_lng',
      },
      network: { carrier: 'device_carrier' },
      os: { name: 'os_name', version: 'os_version' },
      amplitude: { id: 'amplitude_id', eventId: 'event_id', platform: 'platform' },
    },
    skip: { path: 'event_type', in: ['session_start'] },
  },
  before: (bytes) => {
    const record = new ObjectText(bytes);
    if (!record.isValid) return [bytes];
    const editor = new ObjectEditor(record);
    removeMissing(record, editor);
    if (spellingOf(filled(record, 'platform'))?.toLowerCase() === 'web')
      nameBrowser(record, editor);
    if (spellingOf(filled(record, 'event_type')) === '$groupidentify') addGroup(record, editor);
    return [textBytes(editor.text())];
  },
};

/** Ids that are no ids, empty groups, and first values of a user that never were. */
function removeMissing(record: ObjectText, editor: ObjectEditor): void {
  for (const name of ['session_id', 'event_id', 'amplitude_id']) {
    const id = spellingOf(filled(record, name));
    if (id === '0' || id === '-1') editor.remove(name);
  }
  const isEmpty = record.child('groups')?.members.length === 0;
  if (isEmpty) editor.remove('groups');
  const user = record.child('user_properties');
  const missing = user?.members.filter(
    ({ name }) => name.startsWith('initial_') && stringOf(filled(user, name)) === 'EMPTY',
  );
  if (!user || !missing || missing.length === 0) return;
  const kept = new ObjectEditor(user);
  for (const { name } of missing) kept.remove(name);
  editor.set('user_properties', kept.text());
}

/** The web SDK has the browser in the columns of the OS, and the OS in that of the device. */
function nameBrowser(record: ObjectText, editor: ObjectEditor): void {
  move('os_name', 'browser_name');
  move('os_version', 'browser_version');
  move('device_type', 'os_name');

  function move(from: string, to: string): void {
    const value = filled(record, from);
    if (from !== 'os_name' || !filled(record, 'device_type')) editor.remove(from);
    if (value) editor.set(to, value);
  }
}

/** `groups` has the names of groups by their type, `group_properties` the traits by type and perhaps name. */
function addGroup(record: ObjectText, editor: ObjectEditor): void {
  const groups = record.child('groups');
  const type = groups?.members[0]?.name;
  if (!groups || type === undefined) return;
  const given = filled(groups, type);
  const id = elementsOf(given)[0] ?? given;
  if (id) editor.set('group_id', id);
  const traits = record.child('group_properties')?.child(type);
  const own: TextPart | undefined = traits?.child(spellingOf(id) ?? '')?.bytes ?? traits?.bytes;
  if (own) editor.set('group_traits', own);
}
