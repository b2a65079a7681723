import type { StateUse } from '../storage/state-file.js';

/** The use of a state file by a command that can be run again; `job` names it in messages: `import`. */
export function stateOfRun(job: string, layout: Pick<StateUse, 'version' | 'schema'>): StateUse {
  return {
    ...layout,
    advice: {
      removed: `while the ${job} ran; run it again`,
      otherVersion: 'start over with --fresh',
      damaged: 'restore it, or start over with --fresh',
      inUse: 'wait for it',
      notWritten: 'make room or make it writable, then run again',
      full: ', then run again',
    },
  };
}
