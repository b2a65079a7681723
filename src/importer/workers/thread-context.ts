import { systemPlatform, type Platform } from '../../delivery/platform.js';
import { SharedCommits } from './shared-commits.js';
import { SharedConnections } from './shared-connections.js';
import { SharedTurns } from './shared-turns.js';

/** What the jobs of one thread have in common. */
export class ThreadContext {
  readonly platform: Platform;
  readonly connections: SharedConnections;
  readonly turns: SharedTurns;
  readonly commits = new SharedCommits();

  constructor(platform: Platform = systemPlatform) {
    this.platform = platform;
    this.connections = new SharedConnections(platform.clock);
    this.turns = new SharedTurns(platform.clock);
  }
}
