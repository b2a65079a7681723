import { UsageError } from '../errors.js';
import { contradictionIn } from '../events/contradiction.js';
import { eventTypes } from '../events/event.js';
import { parseCondition } from '../events/where.js';
import { suggestion } from '../nearest.js';
import { isListOf, optionRules, type OptionRule, type OptionRules } from '../option-rules.js';
import { quoted } from '../quoted.js';
import type { EndpointFilter, EndpointSettings } from './endpoint.js';
import { ownSettings } from './endpoint-settings.js';

/** Names the place of a setting, for messages: of the list `where` with an index that of one condition. */
export type SettingPlace = (key: keyof EndpointSettings, index?: number) => string;

const names: OptionRule = {
  accepts: (value) => isNames(value) && (value as unknown[]).length > 0,
  form: 'a list of texts that is not empty',
};

const isNames = isListOf((one) => typeof one === 'string' && one !== '');

const rules: OptionRules<EndpointSettings> = {
  types: names,
  events: names,
  where: optionRules.texts,
  retryStatus: { accepts: isListOf(isRetryable), form: 'a list of statuses from 400 to 599' },
  timeoutMs: optionRules.someMilliseconds,
  concurrency: optionRules.count,
  rate: {
    accepts: (value) => Number.isFinite(value) && (value as number) > 0,
    form: 'a number of attempts per second above 0',
  },
};

/**
 * Checks what an endpoint has besides its URL and headers.
 * @throws UsageError that begins with the place of the setting, also for a filter that no event can fit
 */
export function checkEndpointSettings(endpoint: EndpointSettings, place: SettingPlace): void {
  const own = ownSettings(endpoint);
  for (const key of Object.keys(own) as (keyof EndpointSettings)[]) {
    const { accepts, form } = rules[key];
    if (!accepts(own[key])) throw new UsageError(`${place(key)} must be ${form}`);
  }
  checkTypes(own, place);
  checkConditions(own, place);
}

function checkTypes({ types, events }: EndpointFilter, place: SettingPlace): void {
  for (const type of types ?? []) {
    if (eventTypes.includes(type)) continue;
    throw new UsageError(
      `${place('types')} has ${quoted(type, 'a text')}, which is not a type; ${suggestion(type, eventTypes)}`,
    );
  }
  if (!events || !types || types.includes('track')) return;
  throw new UsageError(
    `${place('events')} can never fit: only track events have a name, and types is ${types.join(', ')}; add track to types, or leave events out`,
  );
}

function checkConditions({ where = [] }: EndpointFilter, place: SettingPlace): void {
  where.forEach((text, index) => parseCondition(text, place('where', index)));
  const contradiction = contradictionIn(where);
  if (!contradiction) return;
  const [first, second] = contradiction;
  throw new UsageError(
    `${place('where', where.indexOf(second))} ${second} can never hold beside ${first}; remove one of them`,
  );
}

/** A 2xx has delivered, and a redirect names another URL: neither can be retried. */
function isRetryable(status: unknown): boolean {
  return Number.isInteger(status) && (status as number) >= 400 && (status as number) <= 599;
}
