import type { TextPart } from '../json/composed-text.js';
import type { ObjectText } from '../json/object-text.js';
import { eventTypes, type EventType } from '../events/event.js';
import { filled, firstFilled, isJson, objectFrom, stringOf } from './record.js';

/** Columns that only rows of tables have. */
const rowColumns = [
  'anonymous_id',
  'original_timestamp',
  'received_at',
  'event_text',
  'uuid_ts',
  '_timestamp',
];

/** Columns that are neither properties nor traits. */
const ownColumns: ReadonlySet<string> = new Set([
  ...rowColumns,
  'id',
  'user_id',
  'event',
  'channel',
  'timestamp',
  'sent_at',
  'loaded_at',
  'rudder_id',
]);

/** Members of `context` by the objects that hold them; columns have their names in snake case. */
const contextObjects: Readonly<Record<string, readonly string[]>> = {
  app: ['name', 'version', 'build', 'namespace'],
  campaign: ['name', 'source', 'medium', 'term', 'content'],
  device: [
    'id',
    'advertisingId',
    'adTrackingEnabled',
    'manufacturer',
    'model',
    'name',
    'type',
    'token',
  ],
  library: ['name', 'version'],
  location: ['city', 'country', 'latitude', 'longitude', 'region', 'speed'],
  network: ['bluetooth', 'carrier', 'cellular', 'wifi'],
  os: ['name', 'version'],
  page: ['path', 'referrer', 'search', 'title', 'url', 'initialReferrer', 'referringDomain'],
  referrer: ['id', 'type', 'name', 'url', 'link'],
  screen: ['density', 'height', 'width', 'innerHeight', 'innerWidth'],
  traits: [],
};
const contextMembers = ['userAgent', 'groupId', 'sessionId', 'sessionStart'];
const contextPrefix = 'context_';
const openBracket = 0x5b;

export function isFlatRow(record: ObjectText): boolean {
  return !record.find('messageId') && rowColumns.some((name) => record.find(name));
}

/**
 * The event of a row. A row does not say its type, which is that of its table: it is told by the columns that only
 * one kind of table has; rows of pages, screens and identifies have none and need a map that names it.
 */
export function unflattened(row: ObjectText): Buffer {
  const isTrack = firstFilled(row, ['event_text', 'event']) !== undefined;
  const type = isTrack ? 'track' : typeOf(row);
  const used = new Set<string>(type === 'group' ? ['group_id'] : []);
  if (type === 'alias') used.add('previous_id');
  if (!isTrack && givenType(row)) used.add('type');
  const others = otherColumns(row, used);
  const named = isTrack
    ? others
    : others.filter(([name]) => name !== 'name' && name !== 'category');
  return objectFrom([
    ['type', type && JSON.stringify(type)],
    ['event', firstFilled(row, ['event_text', 'event'])],
    ['name', filled(row, 'name')],
    ['category', filled(row, 'category')],
    ['messageId', filled(row, 'id')],
    ['userId', filled(row, 'user_id')],
    ['anonymousId', filled(row, 'anonymous_id')],
    ['groupId', filled(row, 'group_id')],
    ['previousId', filled(row, 'previous_id')],
    ['timestamp', firstFilled(row, ['timestamp', '_timestamp', 'original_timestamp'])],
    ['receivedAt', filled(row, 'received_at')],
    ['properties', objectFrom(named)],
    ['traits', objectFrom(others)],
    ['context', contextOf(row)],
  ])!.toBuffer();
}

function typeOf(row: ObjectText): EventType | undefined {
  if (filled(row, 'group_id')) return 'group';
  return filled(row, 'previous_id') ? 'alias' : givenType(row);
}

function givenType(row: ObjectText): EventType | undefined {
  const type = stringOf(filled(row, 'type'));
  return eventTypes.find((known) => known === type);
}

function otherColumns(row: ObjectText, used: ReadonlySet<string>): [string, TextPart][] {
  return row.members.flatMap(({ name }): [string, TextPart][] => {
    if (ownColumns.has(name) || used.has(name) || name.startsWith(contextPrefix)) return [];
    const value = filled(row, name);
    return value ? [[name, listOf(value)]] : [];
  });
}

/** The tables hold lists as their JSON text. */
function listOf(value: Buffer): Buffer {
  const text = stringOf(value);
  if (!text?.startsWith('[')) return value;
  const list = Buffer.from(text);
  return list[0] === openBracket && isJson(list) ? list : value;
}

/** `context_device_id` is `context.device.id`. */
function contextOf(row: ObjectText): TextPart | undefined {
  const members = new Map<string, TextPart>();
  const objects = new Map<string, Map<string, TextPart>>();
  for (const { name: column } of row.members) {
    const value = column.startsWith(contextPrefix) ? filled(row, column) : undefined;
    if (!value) continue;
    const [object, name] = placeOf(column.slice(contextPrefix.length));
    if (object === undefined) members.set(name, listOf(value));
    else {
      const inner = objects.get(object) ?? new Map<string, TextPart>();
      objects.set(object, inner.set(name, listOf(value)));
    }
  }
  for (const [object, inner] of objects) members.set(object, objectFrom(inner)!);
  return objectFrom(members);
}

function placeOf(column: string): [object: string | undefined, name: string] {
  for (const [object, names] of Object.entries(contextObjects)) {
    if (!column.startsWith(`${object}_`)) continue;
    const inner = column.slice(object.length + 1);
    return [object, names.find((name) => snakeCase(name) === inner) ?? inner];
  }
  return [undefined, contextMembers.find((name) => snakeCase(name) === column) ?? column];
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
