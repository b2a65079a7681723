import fc from 'fast-check';
import { afterEach } from 'vitest';
import { runHooks } from './after-each.js';
import { seed } from './seed.js';

fc.configureGlobal({ seed });

afterEach(runHooks);
