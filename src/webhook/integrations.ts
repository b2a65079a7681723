import type { Event } from '../events/event.js';
import { valueAt } from '../json/members.js';

/** The name of webhooks in `integrations`, unless a destination has its own name. */
export const webhooksName = 'Webhooks';

/** The value of an event's `integrations`; undefined if it has none. */
export function integrationsOf(event: Event): unknown {
  const member = event.find('integrations');
  return member && valueAt(event.bytes, member);
}

/**
 * Whether an event's `integrations` allow the destination `name`. Names are case-sensitive; an object of
 * options counts as true; `All: false` turns off every destination that is not set to true.
 */
export function isEnabledFor(name: string, integrations: unknown): boolean {
  if (typeof integrations !== 'object' || integrations === null) return true;
  return choiceFor(name, integrations) ?? choiceFor('All', integrations) ?? true;
}

function choiceFor(name: string, integrations: object): boolean | undefined {
  if (!Object.hasOwn(integrations, name)) return undefined;
  const choice = (integrations as Record<string, unknown>)[name];
  if (typeof choice === 'boolean') return choice;
  return typeof choice === 'object' && choice !== null ? true : undefined;
}
