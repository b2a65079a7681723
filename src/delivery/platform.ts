import { systemClock, type Clock } from '../clock.js';
import type { Network } from '../http/network.js';

/** The time, randomness and network that a run uses, passed in so that tests can replace them. */
export interface Platform {
  readonly clock: Clock;
  /** A number from 0 to below 1, for backoff. */
  readonly random: () => number;
  /** Default: that of the system. */
  readonly network?: Network | undefined;
}

export const systemPlatform: Platform = { clock: systemClock, random: Math.random };
