import { expect, it } from 'vitest';
import { applySwitches, queuesEvents } from '../../src/serve/switches.js';
import type { Destination } from '../../src/serve/types.js';

function applied(isEnabled: boolean, byHand: boolean | undefined, refusal?: string): Destination {
  const destination: Destination = {
    ...{ name: 'crm', integrationName: 'Webhooks', isEnabled, allowPrivateNetworks: false },
    endpoints: [{ url: 'https://crm.example.com/' }],
    ...(refusal !== undefined && { refusal }),
  };
  const switched = byHand === undefined ? undefined : { configured: isEnabled, isEnabled: byHand };
  return applySwitches({ sources: [], destinations: [destination] }, () => switched)
    .destinations[0]!;
}

it.each<[string, boolean, boolean | undefined, string | undefined, boolean[]]>([
  ['on', true, undefined, undefined, [true, true, false]],
  ['off in the configuration', false, undefined, undefined, [false, false, false]],
  ['off by hand', true, false, undefined, [false, true, false]],
  ['on by hand', false, true, undefined, [true, true, false]],
  ['without usable certificates', true, undefined, 'expired', [false, true, true]],
  ['on by hand without usable certificates', false, true, 'expired', [false, true, true]],
  ['off by hand without usable certificates', true, false, 'expired', [false, true, false]],
  [
    'off in the configuration without usable certificates',
    false,
    undefined,
    'expired',
    [false, false, false],
  ],
])(
  'a destination that is %s gets events, keeps them, or is held up',
  (_what, isEnabled, byHand, refusal, expected) => {
    const destination = applied(isEnabled, byHand, refusal);
    expect([
      destination.isEnabled,
      queuesEvents(destination),
      destination.isHeldUp === true,
    ]).toEqual(expected);
  },
);
