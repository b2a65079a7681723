import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8 lets about 64 MB of buffers become garbage before it collects them; this is less, in bytes. */
const mostBytes = 8 * 1024 * 1024;
const minorPerMajor = 8;

type Collect = (options: { type: 'minor' | 'major' }) => void;

let collect: Collect | undefined;
let garbage = 0;
let collections = 0;

/** Counts buffers that are not used anymore, and were used only briefly. */
export function countGarbage(bytes: number): void {
  garbage += bytes;
  if (garbage < mostBytes) return;
  garbage = 0;
  collect ??= exposedCollection();
  // What was in use during a minor one is only found by a major one; the first finds what the start left behind.
  collect({ type: collections++ % minorPerMajor === 0 ? 'major' : 'minor' });
}

function exposedCollection(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
