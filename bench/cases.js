import { archives } from './cases/archives.js';
import { collector } from './cases/collector.js';
import { durability } from './cases/durability.js';
import { growth } from './cases/growth.js';
import { library } from './cases/library.js';
import { listen } from './cases/listen.js';
import { machines } from './cases/machines.js';
import { sharedServe } from './cases/shared-serve.js';
import { reading } from './cases/reading.js';
import { relay } from './cases/relay.js';
import { resume } from './cases/resume.js';
import { serve } from './cases/serve.js';
import { signatures } from './cases/signatures.js';
import { startUp } from './cases/start-up.js';
import { validate } from './cases/validate.js';
import { webhooks } from './cases/webhooks.js';

/**
 * The cases to measure. A case has a name, a title, and `prepare(workshop)`, which resolves to
 * - `contenders`: programs that run in turn, each with a name and a `run` that resolves to a result;
 * - `promises`: which number of which contender, by itself or in relation to a peer's, is shown, and
 *   its bound, if any;
 * - `rounds`: how often each contender runs;
 * - `skipped`: peers that are not installed here.
 */
export const cases = [
  webhooks,
  collector,
  library,
  reading,
  validate,
  archives,
  signatures,
  startUp,
  durability,
  growth,
  resume,
  machines,
  sharedServe,
  serve,
  relay,
  listen,
];
