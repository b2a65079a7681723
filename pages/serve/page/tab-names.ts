import type { Tab } from '../view/lists.js';

/** The tabs, in their order. */
export const tabs: readonly { readonly tab: Tab; readonly title: string }[] = [
  { tab: 'events', title: 'Events' },
  { tab: 'waiting', title: 'Waiting' },
  { tab: 'dead-letters', title: 'Dead letters' },
  { tab: 'rejected', title: 'Rejected' },
];
