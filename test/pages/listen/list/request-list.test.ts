import { expect, it } from 'vitest';
import { foreignType } from '../../../../pages/listen/list/request-list.js';
import { row } from '../rows.js';

it.each([
  [{ type: 'invoice.paid', name: null }, 'invoice.paid'],
  [{ type: 'track', name: 'Order Completed' }, null],
  [{ type: 'identify', name: null }, null],
  [{ type: 'batch', name: null }, null],
  [{ type: null, name: null }, null],
])('of %j the type that is a name is %j', (more, found) => {
  expect(foreignType(row(1, more))).toBe(found);
});
