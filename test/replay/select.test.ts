import { expect, it } from 'vitest';
import { captureItems } from '../../src/replay/parse-capture.js';
import { captureSelector, type CaptureSelection } from '../../src/replay/select.js';
import { captureText } from './captures.js';

const at = Date.parse('2026-10-01T08:00:00.000Z');

it.each<[string, CaptureSelection, Record<string, unknown>, boolean]>([
  ['everything', {}, {}, true],
  ['since, inclusive', { since: at }, {}, true],
  ['until, exclusive', { until: at }, {}, false],
  ['no time', { since: 0 }, { receivedAt: undefined }, false],
  ['a method in any case', { methods: ['put', 'post'] }, {}, true],
  ['another method', { methods: ['PUT'] }, {}, false],
  ['a path, whatever its query', { paths: ['/hook'] }, { path: '/hook?a=1' }, true],
  ['a path whose * spans /', { paths: ['/hooks/*'] }, { path: '/hooks/a/b' }, true],
  ['a longer path', { paths: ['/hook'] }, { path: '/hooks' }, false],
  ['a query that is asked for', { paths: ['/hook?a=*'] }, { path: '/hook?b=1' }, false],
  ['a class of statuses', { status: ['404', '5xx'] }, { response: { status: 503 } }, true],
  ['another status', { status: ['5xx'] }, {}, false],
  ['no response', { status: ['5xx'] }, { response: { status: null } }, false],
  ['a line that is no request', {}, { type: 'ready' }, false],
])('captures are selected by %s', (_title, selection, fields, expected) => {
  const bytes = Buffer.from(captureText(fields));
  const origin = { file: 'got', line: 1, offset: 0, length: bytes.length };
  expect(captureSelector(selection)(captureItems([]).parseLine(bytes, origin))).toBe(expected);
});
