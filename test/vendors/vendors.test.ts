import { describe, expect, it } from 'vitest';
import { readMap } from '../../src/events/map/read-map.js';
import { mapperFor, vendorNames, vendors } from '../../src/vendors/index.js';
import { snowplow } from '../../src/vendors/snowplow.js';
import { snowplowColumns } from '../../src/vendors/snowplow-columns.js';
import { printMap } from '../../src/vendors/print-map.js';
import { exported, outcomes } from './exports.js';

describe.each(vendors)('an export of $name', (vendor) => {
  const { name } = vendor;

  it('becomes the expected events, and says why a record is none', async () => {
    const mapper = mapperFor({ from: name });
    const found = exported(name).flatMap((record) => outcomes(mapper, record));
    await expect(`${found.join('\n')}\n`).toMatchFileSnapshot(`data/${name}.events.ndjson`);
    expect(found.length).toBeGreaterThan(8);
    expect(mapper.unusedPaths()).toEqual([]);
  });

  it('becomes the same events by the printed map', () => {
    const map = readMap(printMap(vendor), 'printed.yaml', vendorNames);
    expect(map.from).toBe(vendor.before && name);
    const [own, printed] = [mapperFor({ from: name }), mapperFor(map)];
    for (const record of exported(name)) {
      expect(outcomes(printed, record)).toEqual(outcomes(own, record));
    }
  });

  it('is a map that can be posted to a thread', () => {
    expect(structuredClone(vendor.map)).toEqual(vendor.map);
    const { map } = vendor;
    const [copied, own] = [
      mapperFor({ from: name, ...structuredClone(map) }),
      mapperFor({ from: name }),
    ];
    const [record] = exported(name);
    expect(outcomes(copied, record!)).toEqual(outcomes(own, record!));
  });

  it.each(['', '[1]', '{"a":', 'null', '{"a":1} x', '\u0000', '{}', '{"properties":3,"event":{}}'])(
    'rejects %j without an exception',
    (text) => {
      const [outcome] = outcomes(mapperFor({ from: name }), text);
      expect(outcome).toMatch(/^\{"rejected":"[a-z_]+: ./);
    },
  );
});

it('has its own map changed by the members of a map that is from it', () => {
  const row = {
    id: 'r1',
    user_id: 'u1',
    email: 'a@b.example',
    received_at: '2026-02-01T10:06:01.000Z',
  };
  const mapper = mapperFor({ from: 'rudderstack', type: { const: 'identify' } });
  expect(outcomes(mapper, JSON.stringify(row))).toEqual([
    '{"type":"identify","messageId":"r1","userId":"u1","timestamp":"2026-02-01T10:06:01.000Z","traits":{"email":"a@b.example"}}',
  ]);
});

it('reads the times of a Mixpanel project that stored them in its own zone', () => {
  const path = 'properties.time';
  const timestamp = { path, unit: 'auto', zone: 'America/Los_Angeles', local: true } as const;
  const mapper = mapperFor({ from: 'mixpanel', timestamp });
  const record =
    '{"event":"E","properties":{"time":1602611311,"distinct_id":"u","$insert_id":"i"}}';
  expect(outcomes(mapper, record)).toEqual([
    '{"type":"track","event":"E","messageId":"i","userId":"u","timestamp":"2020-10-14T00:48:31.000Z"}',
  ]);
});

it('names only paths of the own map that no record has', () => {
  const mapper = mapperFor({ from: 'mixpanel', userId: 'properties.member', name: 'event' });
  outcomes(mapper, exported('mixpanel')[0]!);
  expect(mapper.unusedPaths()).toEqual(['properties.member']);
});

it('gives an event of GA4 the same id in each export of it, and another id to each event', () => {
  const mapper = mapperFor({ from: 'ga4' });
  const ids = (given: Buffer[]) =>
    given
      .flatMap((record) => outcomes(mapper, record))
      .map((text) => /"messageId":"(\w+)"/.exec(text)?.[1]);
  const first = ids(exported('ga4')).filter((id) => id !== undefined);
  expect(new Set(first).size).toBe(first.length);
  const later = exported('ga4').map((record) =>
    Buffer.from(record.toString().replace('"event_date"', '"is_active_user":true,"event_date"')),
  );
  expect(ids(later).filter((id) => id !== undefined)).toEqual(first);
});

describe('the files of snowplow', () => {
  it('have 131 columns without header and quotes', () => {
    expect(snowplow.files).toEqual({ format: 'tsv', columns: snowplowColumns, hasQuotes: false });
    expect(new Set(snowplowColumns).size).toBe(131);
    const places = [
      'app_id',
      'event_id',
      'contexts',
      'unstruct_event',
      'derived_contexts',
      'true_tstamp',
    ];
    expect(places.map((name) => snowplowColumns.indexOf(name))).toEqual([0, 6, 52, 58, 122, 130]);
  });
});

it('rejects a record of the gateway as a whole if one of its events has a time that is none', () => {
  const event = (time: string) =>
    `{"type":"track","event":"E","userId":"u","originalTimestamp":"${time}"}`;
  const record = `{"event_payload":{"batch":[${event('2026-02-01T10:00:00Z')},${event('soon')}]}}`;
  expect(outcomes(mapperFor({ from: 'rudderstack' }), record)).toEqual([
    JSON.stringify({
      rejected:
        'invalid_timestamp: event 2 of the record: timestamp: "soon" at originalTimestamp is not a time',
    }),
  ]);
});
