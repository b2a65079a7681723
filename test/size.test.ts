import { expect, it } from 'vitest';
import { sizeAdvice, sizeHint } from '../src/size.js';

it.each([
  ['500kb', 'write 500KB: units are B, KB, MB and GB'],
  ['1.5 Gb', 'write 1.5GB: units are B, KB, MB and GB'],
  ['10g', 'write 10GB: units are B, KB, MB and GB'],
  ['512 b', 'write 512B: units are B, KB, MB and GB'],
  ['512', sizeHint],
  ['5TB', sizeHint],
  ['s3cret', sizeHint],
])('for %s the advice is: %s', (text, advice) => {
  expect(sizeAdvice(text)).toBe(advice);
});
