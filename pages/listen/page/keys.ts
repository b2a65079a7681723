import { key, listKeys } from '../../shared/keys/list-keys.js';
import type { Inspector } from '../view/inspector.js';

/** The keys of the page, in the order of the help. */
export const keys = listKeys<Inspector>('request', [
  key('r', 'replay the selected or open requests', (inspector) => {
    const { selected, opened } = inspector;
    if (selected.value.size > 0 || opened.value) inspector.show({ name: 'replay' });
  }),
  key('e', 'edit and resend the open request', (inspector) => {
    if (inspector.opened.value) inspector.show({ name: 'edit' });
  }),
  key('d', 'compare the two selected requests', (inspector) => {
    if (inspector.compared) inspector.show({ name: 'compare' });
  }),
  key('f', 'faults', (inspector) => inspector.show({ name: 'faults' })),
  key('c', 'timeline and latency', (inspector) => inspector.toggleCharts()),
]);
