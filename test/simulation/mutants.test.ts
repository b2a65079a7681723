import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mutants } from './mutants.js';

it.each(mutants.map(({ name, file, from }) => [name, file, from] as const))(
  'the code has the place of the defect %j',
  (_name, file, from) => {
    const code = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
    expect(code.split(from)).toHaveLength(2);
  },
);
