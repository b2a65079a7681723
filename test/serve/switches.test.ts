import fs, { readdirSync, readFileSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { StateError } from '../../src/errors.js';
import { applySwitches, queuesEvents, Switches } from '../../src/serve/switches.js';
import type { Destination, Routing } from '../../src/serve/types.js';
import { folderWith } from '../helpers/folder.js';

const path = () => join(folderWith(), 'switches.json');

describe('a switch', () => {
  it('overrides the configuration, also after a restart', () => {
    const file = path();
    Switches.open(file).set(destination(true), false);
    expect(isEnabled(Switches.open(file), true)).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is dropped when it is switched back, and when the configuration changes', () => {
    const file = path();
    const switches = Switches.open(file);
    switches.set(destination(true), false);
    expect(isEnabled(switches, false)).toBe(false);
    switches.set(destination(true), true);
    expect(isEnabled(switches, true)).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('{}\n');
  });

  it('can switch on a destination that the configuration disables', () => {
    const switches = Switches.open(path());
    switches.set(destination(false), true);
    expect(isEnabled(switches, false)).toBe(true);
    expect(isEnabled(switches, true)).toBe(true);
  });

  it('is on the disk with its name', () => {
    const file = path();
    const synced: (readonly [isFolder: boolean, names: string[]])[] = [];
    const { fsyncSync } = fs;
    vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
      synced.push([fs.fstatSync(descriptor).isDirectory(), readdirSync(dirname(file))]);
      fsyncSync(descriptor);
    });
    syncBuiltinESMExports();
    Switches.open(file).set(destination(true), false);
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    expect(synced).toContainEqual([true, ['switches.json']]);
  });

  it('has no effect when it cannot be stored', () => {
    const switches = Switches.open(join(folderWith(), 'gone', 'switches.json'));
    expect(() => switches.set(destination(true), false)).toThrow(StateError);
    expect(isEnabled(switches, true)).toBe(true);
  });

  it('that cannot be read explains what to do', () => {
    const file = join(folderWith({ 'switches.json': 'no JSON' }), 'switches.json');
    expect(() => Switches.open(file)).toThrow(/remove it/);
  });
});

function destination(configured: boolean): Destination {
  return {
    name: 'crm',
    integrationName: 'Webhooks',
    isEnabled: configured,
    allowPrivateNetworks: false,
    endpoints: [{ url: 'https://crm.example.com/' }],
  };
}

function isEnabled(switches: Switches, configured: boolean): boolean {
  const routing: Routing = { sources: [], destinations: [destination(configured)] };
  return switches.apply(routing).destinations[0]!.isEnabled;
}

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
