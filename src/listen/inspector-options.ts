import type { Faults } from './fault-plan.js';
import type { Journal } from './journal.js';
import type { Verification } from '../receive/verification.js';

export interface InspectorOptions {
  readonly host: string;
  /** The URL of this receiver, without a path; known once the port is. */
  readonly url: () => string;
  readonly port: () => number;
  readonly token: string;
  readonly verification: Verification;
  readonly journal: Journal;
  readonly faults: Faults;
  /** The file of `--record`, for people. */
  readonly recordsTo: string | null;
  /** The folder with the built page. Default: next to the program. */
  readonly pageFolder?: string;
}
