import { systemPlatform, type Platform } from '../../delivery/platform.js';
import { SharedConnections } from './shared-connections.js';
import { SharedFlush } from './shared-flush.js';
import { SharedTurns } from './shared-turns.js';

/** What the jobs of one thread have in common. */
export class ThreadContext {
  readonly platform: Platform;
  readonly connections: SharedConnections;
  readonly turns: SharedTurns;
  readonly flush = new SharedFlush();

  constructor(platform: Platform = systemPlatform) {
    this.platform = platform;
    this.connections = new SharedConnections(platform.clock);
    this.turns = new SharedTurns(platform.clock);
  }
}
