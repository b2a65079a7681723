import { commitScript } from './commit.js';
import { deadLettersScript } from './dead-letters.js';
import { dueTimesScript } from './due-times.js';
import { endPlanningScript } from './end-planning.js';
import { joinScript } from './join.js';
import { leaseScript } from './lease.js';
import { leaveScript } from './leave.js';
import { notifyScript } from './notify.js';
import { removeScript } from './remove.js';
import { reportScript } from './report.js';
import { setStatusScript } from './set-status.js';
import { settleScript } from './settle.js';

export type { Script } from './script.js';

/** All scripts, to be defined on a connection. */
export const scripts = [
  commitScript,
  deadLettersScript,
  dueTimesScript,
  endPlanningScript,
  joinScript,
  leaseScript,
  leaveScript,
  notifyScript,
  removeScript,
  reportScript,
  setStatusScript,
  settleScript,
] as const;
