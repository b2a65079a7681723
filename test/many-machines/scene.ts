import { folderWith } from '../helpers/folder.js';
import { PostgresServer } from '../helpers/postgres.js';
import { writeEventFiles, type EventFiles, type EventFilesShape } from './event-files.js';
import { Fleet } from './fleet.js';
import { startCountingReceiver, type CountingReceiver, type Rule } from './receiver.js';

/** What most tests start with: files, a receiver, a PostgreSQL, and commands that use them. */
export interface Scene {
  readonly cwd: string;
  readonly files: EventFiles;
  readonly receiver: CountingReceiver;
  readonly fleet: Fleet;
  readonly server: PostgresServer;
  /** Arguments of `import`: the files and the URL. */
  readonly args: readonly string[];
}

export interface SceneOptions extends EventFilesShape {
  readonly rules?: readonly Rule[];
  /** Of all processes. */
  readonly env?: Record<string, string>;
  readonly server?: Record<string, string>;
}

export async function openScene(options: SceneOptions): Promise<Scene> {
  const cwd = folderWith();
  const files = writeEventFiles(cwd, options);
  const server = await PostgresServer.start(options.server);
  const receiver = await startCountingReceiver(files.count);
  await receiver.follow(options.rules ?? []);
  const fleet = new Fleet(server, cwd, options.env);
  return { cwd, files, receiver, fleet, server, args: [...files.names, '--url', receiver.url] };
}

/** Refuses some events, and fails the first attempt of some others. */
export const troubled: readonly Rule[] = [
  { status: 400, every: 401, rest: 5 },
  { status: 503, every: 300, rest: 7, attempts: 1 },
  { every: 300, rest: 8, attempts: 1 },
];

/** Events that `troubled` refuses for good. */
export const isRefused = (n: number): boolean => n % 401 === 5;
