import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8 collects buffers when about 64 MB of them are garbage; this is when we ask for it, in bytes. */
const maxGarbageBytes = 8 * 1024 * 1024;
/** The first of this many collections is a major one. */
const minorPerMajor = 8;

type Collect = (options: { type: 'minor' | 'major' }) => void;

let collect: Collect | undefined;
let garbage = 0;
let collections = 0;

/** Counts bytes of short-lived buffers that have become garbage, and has V8 collect them when they are many. */
export function countGarbage(bytes: number): void {
  garbage += bytes;
  if (garbage < maxGarbageBytes) return;
  garbage = 0;
  collect ??= exposedCollection();
  // Buffers that were in use during a minor collection are only freed by a major one. The first one is major, to
  // free what the start of the process left behind.
  collect({ type: collections++ % minorPerMajor === 0 ? 'major' : 'minor' });
}

function exposedCollection(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
