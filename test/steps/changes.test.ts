import { expect, it } from 'vitest';
import { isExpansion, isProblem, type Event, type Problem } from '../../src/events/event.js';
import { selectAndTransform, transformWith } from '../../src/events/transform.js';
import { selector } from '../../src/events/select.js';
import { RecordParser, type Changes } from '../../src/steps/changes.js';
import { parseStep } from '../../src/steps/step.js';

const origin = { file: 'f', line: 1, offset: 0, length: 1 };

/** What a transform that makes a valid event of everything leaves of a line. */
async function made(
  line: object,
  changes: Partial<Changes>,
  event: object = { type: 'track', userId: 'u', event: 'Made' },
): Promise<readonly (Event | Problem)[]> {
  const selection = changes.selection ?? {};
  const all = { steps: [], hashKey: undefined, ...changes, selection };
  const item = new RecordParser(all, { keepsRecords: true }).parse(
    Buffer.from(JSON.stringify(line)),
    origin,
  );
  const transform = transformWith((value) => ({ ...value, ...event }));
  const selectors = { isSelected: () => true, isSelectedAfter: selector(selection) };
  if (isExpansion(item)) return item.items;
  return selectAndTransform(item, transform, selectors);
}

const batch = {
  event_payload: JSON.stringify({
    batch: [
      { type: 'track', userId: 'u', event: 'A', messageId: 'r1' },
      { type: 'track', userId: 'u', messageId: 'r2' },
    ],
  }),
};

it.each<[string, object, Partial<Changes>, string]>([
  [
    'a step failed for it',
    { type: 'track', userId: 'u', event: 'E', properties: { plan: 'text' } },
    { steps: [parseStep('set', 'properties.plan.name=x')] },
    'step_failed',
  ],
  ['it is one of several of a record', batch, { map: { from: 'rudderstack' } }, 'missing_event'],
])('a transform makes no event of a record where %s', async (_, line, changes, code) => {
  const items = await made(line, changes);
  expect(items.map((item) => (isProblem(item) ? item.code : 'an event'))).toEqual([code]);
});

it('a transform makes events of other records, after the steps, and selects what it has made', async () => {
  const steps = [parseStep('drop', 'email')];
  const line = { id: 1, email: 'a@example.com' };
  for (const [events, count] of [
    [['Made'], 1],
    [['Other'], 0],
  ] as const) {
    const items = await made(line, { steps, selection: { events } });
    expect(items.map((item) => item.bytes.toString())).toEqual(
      Array.from({ length: count }, () => '{"id":1,"type":"track","userId":"u","event":"Made"}'),
    );
  }
});
