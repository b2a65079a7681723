import { eventTypes, type EventType } from '../../events/event.js';
import { collectList, invalidValue, parseList } from '../shared/flag-values.js';
import { flag } from './flag.js';
import { asParsed } from './run.js';

/** Which events are used, by what they are. */
export const selectionFlags = {
  types: flag('--types <list>', 'only events of these types, e.g. track,identify (repeatable)', {
    parse: parseTypes,
    values: eventTypes,
    identity: asParsed,
  }),
  events: flag(
    '--events <list>',
    "only track events with these names, e.g. 'Order *' (repeatable)",
    {
      parse: collectList,
      identity: asParsed,
    },
  ),
  users: flag('--users <list>', 'only events of these userIds or anonymousIds (repeatable)', {
    parse: collectList,
    identity: asParsed,
  }),
};

function parseTypes(text: string, previous: EventType[] | undefined): EventType[] {
  const types = parseList(text);
  const unknown = types.find((type) => !eventTypes.includes(type as EventType));
  if (unknown === undefined && types.length > 0)
    return [...(previous ?? []), ...(types as EventType[])];
  throw invalidValue(
    unknown ?? '',
    `is not a known type; expected one of ${eventTypes.join(', ')}`,
  );
}
