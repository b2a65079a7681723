import type { TextPart } from '../json/composed-text.js';
import { ObjectText } from '../json/object-text.js';
import type { EventType } from '../events/event.js';
import { MapViolation } from '../events/map/map-violation.js';
import { filled, isJson, objectAt, objectFrom, spellingOf, stringOf } from './record.js';
import { snowplowColumns } from './snowplow-columns.js';
import type { Vendor } from './vendor.js';

/** Snowplow's enriched events: a record has its columns as texts, and empty ones are none. */
export const snowplow: Vendor = {
  name: 'snowplow',
  files: { format: 'tsv', columns: snowplowColumns, hasQuotes: false },
  map: {
    type: 'type',
    event: 'event_name',
    name: 'properties.name',
    messageId: 'event_id',
    userId: 'user_id',
    anonymousId: { path: ['domain_userid', 'network_userid'] },
    timestamp: {
      path: ['derived_tstamp', 'collector_tstamp', 'dvce_created_tstamp'],
      zone: 'UTC',
      required: true,
    },
    properties: 'properties.*',
    context: {
      app: { name: 'app_id' },
      platform: 'platform',
      ip: 'user_ipaddress',
      userAgent: 'useragent',
      locale: 'br_lang',
      timezone: 'os_timezone',
      sessionId: 'domain_sessionid',
      library: { name: 'name_tracker', version: 'v_tracker' },
      page: {
        members: {
          url: 'page_url',
          path: 'page_urlpath',
          search: 'page_urlquery',
          title: 'page_title',
          referrer: 'page_referrer',
        },
      },
      campaign: {
        name: 'mkt_campaign',
        source: 'mkt_source',
        medium: 'mkt_medium',
        term: 'mkt_term',
        content: 'mkt_content',
      },
      location: {
        country: 'geo_country',
        region: 'geo_region',
        city: 'geo_city',
        latitude: 'geo_latitude',
        longitude: 'geo_longitude',
      },
      screen: { width: 'dvce_screenwidth', height: 'dvce_screenheight' },
      contexts: 'contexts.data',
      derivedContexts: 'derived_contexts.data',
    },
    json: ['contexts', 'derived_contexts'],
  },
  before: (bytes) => {
    const record = new ObjectText(bytes);
    return record.isValid ? [withProperties(record)] : [bytes];
  },
};

const numericColumns: ReadonlySet<string> = new Set(
  `geo_latitude geo_longitude se_value tr_total tr_tax tr_shipping ti_price ti_quantity pp_xoffset_min
   pp_xoffset_max pp_yoffset_min pp_yoffset_max dvce_screenwidth dvce_screenheight tr_total_base tr_tax_base
   tr_shipping_base ti_price_base`
    .trim()
    .split(/\s+/),
);

const pageColumns = {
  url: 'page_url',
  title: 'page_title',
  referrer: 'page_referrer',
  path: 'page_urlpath',
  search: 'page_urlquery',
};

/** The columns of the properties of an event, by the kind of the event. */
const propertyColumns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  page_view: pageColumns,
  page_ping: {
    ...pageColumns,
    ...sameNames('pp_xoffset_min', 'pp_xoffset_max', 'pp_yoffset_min', 'pp_yoffset_max'),
  },
  struct: {
    category: 'se_category',
    action: 'se_action',
    label: 'se_label',
    property: 'se_property',
    value: 'se_value',
  },
  transaction: sameNames(...columnsWith('tr_'), 'base_currency'),
  transaction_item: sameNames(...columnsWith('ti_'), 'base_currency'),
};

function withProperties(record: ObjectText): Buffer {
  const kind = spellingOf(filled(record, 'event')) ?? '';
  const self = kind === 'unstruct' ? selfDescribing(record) : undefined;
  const columns = propertyColumns[kind] ?? {};
  const properties =
    self?.data ??
    objectFrom(Object.entries(columns).map(([name, column]) => [name, cellOf(record, column)]));
  const members = record.members.map(({ name }): [string, TextPart | undefined] => [
    name,
    name === 'event_name' || name === 'unstruct_event' ? undefined : cellOf(record, name),
  ]);
  const event = kind === 'struct' ? filled(record, 'se_action') : undefined;
  const name = event ?? self?.name ?? filled(record, 'event_name') ?? filled(record, 'event');
  return objectFrom([
    ...members,
    ['type', `"${typeOf(kind, name)}"`],
    ['event_name', name],
    ['properties', properties],
  ])!.toBuffer();
}

/** Names that senders choose do not make a type: a structured event can be called page_view. */
function typeOf(kind: string, name: Buffer | undefined): EventType {
  if (kind === 'page_view') return 'page';
  return kind === 'unstruct' && stringOf(name) === 'screen_view' ? 'screen' : 'track';
}

/** A number where the column has numbers; its spelling stays. */
function cellOf(record: ObjectText, name: string): Buffer | undefined {
  const value = filled(record, name);
  if (!value || !numericColumns.has(name)) return value;
  const number = Buffer.from(stringOf(value) ?? '');
  return /^-?\d/.test(number.toString('latin1')) && isJson(number) ? number : value;
}

interface SelfDescribing {
  readonly name: Buffer;
  readonly data: Buffer | undefined;
}

/** `{schema, data: {schema: 'iglu:com.acme/buy/jsonschema/1-0-0', data: {…}}}`: the inner schema names the event. */
function selfDescribing(record: ObjectText): SelfDescribing {
  const inner = objectAt(record, 'unstruct_event')?.child('data');
  const schema = stringOf(filled(inner, 'schema')) ?? '';
  const [, name] = /^iglu:[^/]+\/([^/]+)\//.exec(schema) ?? [];
  if (name === undefined) {
    throw new MapViolation(
      'not_json',
      'unstruct_event does not hold the JSON of an event with its schema',
    );
  }
  return { name: Buffer.from(JSON.stringify(name)), data: inner?.child('data')?.bytes };
}

function columnsWith(prefix: string): string[] {
  return snowplowColumns.filter((column) => column.startsWith(prefix));
}

function sameNames(...columns: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(columns.map((column) => [column, column]));
}
