import type { Event } from '../events/event.js';
import { valueAt } from '../json/members.js';

/** What `integrations` calls webhooks, unless a destination has a name of its own. */
export const webhooksName = 'Webhooks';

/** What an event's `integrations` hold; undefined where it has none. */
export function integrationsOf(event: Event): unknown {
  const member = event.find('integrations');
  return member && valueAt(event.bytes, member);
}

/**
 * Whether an event's `integrations` let it go to the destination `name`. Names are case-sensitive;
 * an object of options counts as true; `All: false` turns off what is not named true.
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
