import type {
  DestinationState,
  EndpointState,
  Overview,
  SourceState,
} from '../../../../src/api/serve.js';
import { at } from '../outcomes/samples.js';

export function source(change: Partial<SourceState> = {}): SourceState {
  return {
    ...{ name: 'web', enabled: true, destinations: ['crm'], received: 0, rejected: 0 },
    ...{ repeated: 0, lastReceivedAt: null },
    ...change,
  };
}

export function endpoint(change: Partial<EndpointState> = {}): EndpointState {
  return {
    ...{ url: 'https://crm.example.com/', health: 'unused', lastStatus: null, lastError: null },
    ...{ down: change.health === 'down', probing: false, pausedUntil: null, headerNames: [] },
    ...{ certificateEndsAt: null, settings: {} },
    ...change,
  };
}

export function destination(change: Partial<DestinationState> = {}): DestinationState {
  return {
    ...{ name: 'crm', integrationName: 'Webhooks', configured: true, enabled: true },
    ...{
      configuredEnabled: true,
      refusal: null,
      signed: true,
      ordered: false,
      allowPrivateNetworks: false,
      sources: ['web'],
    },
    endpoints: [endpoint()],
    ...{
      queued: 0,
      queuedSince: null,
      retrying: 0,
      nextRetryAt: null,
      deadLetters: 0,
      deadLettersDropped: 0,
      delivered: 0,
      failed: 0,
    },
    lastMinute: { delivered: 0, failedAttempts: 0 },
    lastFailure: null,
    ...change,
  };
}

export function overview(change: Partial<Overview> = {}): Overview {
  return {
    ...{ sources: [source()], destinations: [destination()], startedAt: at(0), hasReceived: true },
    ...{ configuredAt: at(0), configurationError: null, stateError: null, refused: [] },
    ...{ deadLettersDropped: 0, damagedBlocks: 0, damagedEvents: 0, instances: [] },
    ...{ oldestTransactionSeconds: null, kept: null },
    ...change,
  };
}
