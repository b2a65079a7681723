import { expect, it } from 'vitest';
import { signsAgain } from '../../src/listen/sign-again.js';
import { Verification } from '../../src/receive/verification.js';
import { presets } from '../../src/sign/schemes/index.js';

const scheme = presets.get('x-signature')!;
const verification = new Verification([
  { path: '/one', scheme, secrets: ['first', 'second'], secretFile: '/etc/one.txt' },
  { path: '/auto', scheme: 'auto', secrets: ['third'] },
  { path: '/all/*', scheme, secrets: ['fourth'], where: 'EVFWD_SECRET' },
]);

it.each([
  ['/one', null, '--verify path=/one one.txt (the first of 2)'],
  ['/auto', 'x-signature', '--verify path=/auto'],
  ['/auto', null, undefined],
  ['/all/a', null, 'EVFWD_SECRET'],
  ['/none', null, undefined],
])('a request to %s of the scheme %j is signed again with %j', (path, name, secret) => {
  const again = signsAgain({ path, scheme: name }, verification);
  expect(again).toEqual(secret === undefined ? null : { scheme: 'x-signature', secret });
});
