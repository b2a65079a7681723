import { textBytes } from '../events/map/text-bytes.js';
import { ObjectEditor } from '../json/object-editor.js';
import { ObjectText } from '../json/object-text.js';
import { elementsOf, filled, objectAt } from './record.js';
import { isFlatRow, unflattened } from './rudderstack-rows.js';
import type { Vendor } from './vendor.js';

/**
 * RudderStack writes three forms: events as its object storage has them, rows of its data lake with flat
 * columns, and dumps of its gateway with several events in a record. The `messageId` of its own sources can be
 * a number, and they have no `originalTimestamp`.
 */
export const rudderstack: Vendor = {
  name: 'rudderstack',
  map: {
    type: 'type',
    event: 'event',
    name: 'name',
    category: 'category',
    messageId: 'messageId',
    userId: 'userId',
    anonymousId: 'anonymousId',
    groupId: 'groupId',
    previousId: 'previousId',
    timestamp: { path: ['timestamp', 'originalTimestamp', 'receivedAt'], zone: 'UTC' },
    properties: 'properties',
    traits: 'traits',
    context: 'context',
    integrations: 'integrations',
  },
  before: eventRecords,
};

function eventRecords(bytes: Buffer): readonly Buffer[] {
  const record = new ObjectText(bytes);
  const payload = objectAt(record, 'event_payload');
  if (payload) return ofGateway(payload);
  if (!record.find('type') && record.find('batch')) return ofGateway(record);
  return [isFlatRow(record) ? unflattened(record) : bytes];
}

/** The events of a request, which share the time at which it arrived. */
function ofGateway(payload: ObjectText): Buffer[] {
  const receivedAt = filled(payload, 'receivedAt');
  return elementsOf(filled(payload, 'batch')).map((bytes) => {
    const event = new ObjectText(bytes);
    if (!receivedAt || !event.isValid || filled(event, 'receivedAt')) return bytes;
    return textBytes(new ObjectEditor(event).set('receivedAt', receivedAt).text());
  });
}
