import { expect, it } from 'vitest';
import { isIdName, pathWithoutIds } from '../../../src/replay/candidate/ids.js';

it.each([
  ['/orders/1001?x=1', '/orders/{id}'],
  ['/hooks/stripe', '/hooks/stripe'],
  ['/v1/customers/cus_NffrFeUfNV2Hib/cards', '/v1/customers/{id}/cards'],
  ['/v1/customers/cus_gAoJgBqSxwKd', '/v1/customers/{id}'],
  ['/v1/api_getUserById', '/v1/api_getUserById'],
  ['/a/0192f0c4-7a3b-7000-8000-0123456789ab/', '/a/{id}/'],
  ['/a/01ARZ3NDEKTSV4RRFFQ69G5FAV', '/a/{id}'],
  ['/runs/evt_12/x#f', '/runs/{id}/x'],
  ['/commits/9fceb02d0ae598e95dc970b74767f19372d61af8', '/commits/{id}'],
  ['/oauth2/callback', '/oauth2/callback'],
  ['/payment-intents/base64Url', '/payment-intents/base64Url'],
  ['/', '/'],
])('the path %s is in the group %s', (path, group) => {
  expect(pathWithoutIds(path)).toBe(group);
});

it.each([
  'line_1',
  'address_street2',
  'sha256Hash',
  'oauth2Token',
  'ipv4',
  'base64EncodedValue',
  'user_firstNameOrAlias',
  'x-1',
])('the name %s is no id', (name) => {
  expect(isIdName(name)).toBe(false);
});

it.each(['1001', 'cus_NffrFeUfNV2Hib', 'order_10023', 'deadbeef01', 'clh3x2k9f0000356xq9'])(
  'the name %s is an id',
  (name) => {
    expect(isIdName(name)).toBe(true);
  },
);
