import { expect, it } from 'vitest';
import { presets } from '../../src/sign/schemes/index.js';
import { signedId } from '../../src/sign/signed-id.js';

it('ids that differ are sent as ids that differ, also with control characters and lone surrogates', () => {
  const scheme = presets.get('standard-webhooks')!;
  const ids = ['a', 'a\0b', 'a\0c', 'a.b', '\ud800', '\udbff', '\ufffd', 'x\udc00'];
  const sent = ids.map((id) => signedId(id, scheme));
  expect(new Set(sent).size).toBe(ids.length);
  expect(sent.filter((id) => !/^[\x21-\x7e]+$/.test(id))).toEqual([]);
});
