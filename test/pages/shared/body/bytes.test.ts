import { expect, it } from 'vitest';
import { hexDump } from '../../../../pages/shared/body/bytes.js';

it('shows offset, bytes and ASCII', () => {
  const bytes = new Uint8Array([...Buffer.from('<script>alert(1)'), 0, 255, 10]);
  expect(hexDump(bytes).split('\n')).toEqual([
    '000000  3c 73 63 72 69 70 74 3e 61 6c 65 72 74 28 31 29  <script>alert(1)',
    '000010  00 ff 0a                                         ...',
  ]);
  expect(hexDump(bytes, 8).split('\n')).toHaveLength(3);
});
