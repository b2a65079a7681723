import { expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { parseFault } from '../../src/listen/fault.js';

it.each([
  ['status=503', { status: 503 }],
  ['status=503,rate=10%', { status: 503, rate: 0.1 }],
  [' status = 429 , first = 2 ', { status: 429, first: 2 }],
  ['delay=2s,type=track', { delayMs: 2000, type: 'track' }],
  ['reset,path=/hook', { ending: 'reset', path: '/hook' }],
  ['reset,delay=300ms', { ending: 'reset', delayMs: 300 }],
  ['hang,rate=0.5%', { ending: 'hang', rate: 0.005 }],
  ['truncate,status=200', { ending: 'truncate', status: 200 }],
  ['slow=100ms,status=500,truncate', { slowMs: 100, status: 500, ending: 'truncate' }],
  ['hang,path=/a\\,b=c', { ending: 'hang', path: '/a,b=c' }],
  ['status=200,rate=100%', { status: 200, rate: 1 }],
  ['status=599,rate=0%', { status: 599, rate: 0 }],
])('reads %j', (text, fault) => {
  expect(parseFault(text)).toEqual({ text: text.trim(), ...fault });
});

it.each([
  ['', /a part is empty/],
  ['status=503,', /a part is empty/],
  ['status', /status needs a value, like status=503/],
  ['status=', /status needs a value/],
  ['status=99', /200 to 599/],
  ['status=199', /200 to 599/],
  ['status=600', /200 to 599/],
  ['status=5e2', /200 to 599/],
  ['sttus=503', /did you mean status\?/],
  ['rset', /did you mean reset\?/],
  ['reset=1', /reset does not accept a value/],
  ['reset,hang', /reset and hang cannot be combined/],
  ['status=500,status=501', /status is duplicated/],
  ['delay=2', /"2" is not a duration; use a unit/],
  ['slow=fast', /slow: "fast" is not a duration/],
  ['hang,rate=10', /share of requests from 0% to 100%/],
  ['hang,rate=101%', /share of requests/],
  ['hang,rate=-1%', /share of requests/],
  ['hang,first=0', /at least 1/],
  ['hang,first=1.5', /at least 1/],
  ['hang,first=1,rate=1%', /rate and first cannot be combined/],
  ['hang,type=trakc', /did you mean track\?/],
  ['hang,path=hook', /must begin with \//],
  ['hang,path=/a?b', /have no query/],
  ['rate=10%', /it does nothing/],
  ['hang,status=500', /sends no response, so it cannot be combined with status/],
  ['reset,slow=1s', /cannot be combined with slow/],
  ['hang,delay=1s', /never responds, so it cannot be combined with delay/],
])('rejects %j with a reason', (text, reason) => {
  expect(() => parseFault(text)).toThrow(UsageError);
  expect(() => parseFault(text)).toThrow(reason);
  expect(() => parseFault(text)).toThrow(`--fault "${text.trim().replace('?b', '?…')}": `);
});
