import { UsageError } from '../errors.js';
import type { EventFlags } from './build.js';

interface Rule {
  readonly flag: string;
  readonly types: readonly string[];
  /** What to do instead, by the type that has no such member. */
  readonly instead?: Readonly<Record<string, string>>;
}

const useTraits = { identify: 'use -T', group: 'use -T' };
const useProperties = { track: 'use -P', page: 'use -P', screen: 'use -P' };
const withProperties = ['track', 'page', 'screen'];
const withTraits = ['identify', 'group'];
const named = ['page', 'screen'];

const allTraits = { identify: 'use --traits', group: 'use --traits' };
const allProperties = {
  track: 'use --properties',
  page: 'use --properties',
  screen: 'use --properties',
};

const traitFor = (name: string) => ({ identify: `use -T ${name}=…`, group: `use -T ${name}=…` });
const groupInContext = `use --context '{"groupId":"…"}'`;

/** Flags that only some types have a member for. */
const rules: Partial<Record<keyof EventFlags, Rule>> = {
  property: { flag: '-P', types: withProperties, instead: useTraits },
  properties: { flag: '--properties', types: withProperties, instead: allTraits },
  trait: { flag: '-T', types: withTraits, instead: useProperties },
  traits: { flag: '--traits', types: withTraits, instead: allProperties },
  event: {
    flag: '--event',
    types: ['track'],
    instead: { page: 'use --name', screen: 'use --name' },
  },
  name: { flag: '--name', types: named, instead: { track: 'use --event', ...traitFor('name') } },
  category: {
    flag: '--category',
    types: named,
    instead: { track: 'use -P category=…', ...traitFor('category') },
  },
  groupId: {
    flag: '--group-id',
    types: ['group'],
    instead: {
      track: groupInContext,
      page: groupInContext,
      screen: groupInContext,
      identify: groupInContext,
    },
  },
  previousId: { flag: '--previous-id', types: ['alias'] },
  anonymousId: { flag: '--anonymous-id', types: [...withProperties, ...withTraits, 'alias'] },
  context: { flag: '--context', types: [...withProperties, ...withTraits, 'alias'] },
};

/**
 * Refuses a flag that sets a member which events of this type do not have, and which would not be sent.
 *
 * @throws UsageError that names the flag and, if there is one, the flag to use instead.
 */
export function refuseForeignFlags(type: string, flags: EventFlags): void {
  for (const [name, { flag, types, instead }] of Object.entries(rules)) {
    if (flags[name as keyof EventFlags] === undefined || types.includes(type)) continue;
    const next = instead?.[type] ?? 'leave it out';
    throw new UsageError(`${flag} is for ${listOf(types)}, not for ${type}; ${next}`, 'wrong_flag');
  }
}

function listOf(types: readonly string[]): string {
  return types.length === 1 ? types[0]! : `${types.slice(0, -1).join(', ')} and ${types.at(-1)!}`;
}
