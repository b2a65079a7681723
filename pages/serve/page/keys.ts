import { key, listKeys } from '../../shared/keys/list-keys.js';
import type { Tab } from '../view/lists.js';
import type { Operations } from '../view/operations.js';

/** The tabs, in their order. */
export const tabs: readonly { readonly tab: Tab; readonly title: string }[] = [
  { tab: 'events', title: 'Events' },
  { tab: 'waiting', title: 'Waiting' },
  { tab: 'dead-letters', title: 'Dead letters' },
  { tab: 'rejected', title: 'Rejected' },
];

/** The keys of the page, in the order of the help. */
export const keys = listKeys<Operations>('event', [
  key('r', 'redeliver the selected or open events', (operations) => {
    const { value: opened } = operations.opened;
    if (operations.selected.value.size > 0) operations.redeliverSelected();
    else if (opened?.state === 'failed')
      operations.show({ name: 'redeliver', deadLetters: [opened] });
  }),
  key('o', 'show/hide the overview', (operations) => operations.toggleOverview()),
  ...tabs.map(({ tab, title }, index) =>
    key<Operations>(String(index + 1), title.toLowerCase(), (operations) =>
      operations.showTab(tab),
    ),
  ),
]);
