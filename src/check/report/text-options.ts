import type { Framework } from '../fixes/frameworks.js';
import type { Paint } from '../../output/text.js';

/** How a report is printed. */
export interface TextOptions {
  readonly paint: Paint;
  /** Columns of the terminal. Commands are longer where they have to be. */
  readonly width: number;
  /** Whether each check has a line, also in groups where nothing is wrong. */
  readonly isVerbose: boolean;
  /** Whose fixes in code are printed. */
  readonly frameworks: readonly Framework[];
}
