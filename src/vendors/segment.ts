import type { Vendor } from './vendor.js';

/**
 * Segment's copies in S3 are the events themselves, with what its API added. The switches in `integrations`
 * were not applied to the copies; they are applied when an event is sent.
 */
export const segment: Vendor = {
  name: 'segment',
  map: {
    type: 'type',
    messageId: 'messageId',
    timestamp: { path: ['timestamp', 'originalTimestamp', 'receivedAt'], zone: 'UTC' },
    '*': '*',
    drop: ['sentAt', 'receivedAt', 'originalTimestamp', 'projectId', 'writeKey'],
  },
};
