import { once } from 'node:events';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { systemClock } from '../../clock.js';
import { findConfig } from '../../config/find.js';
import { readSecretFile } from '../../config/secret.js';
import { EvfwdError, StateError, UsageError } from '../../errors.js';
import { countOf } from '../../output/numbers.js';
import { printable } from '../../output/printable.js';
import { reachableUrls } from '../../serve/reachable.js';
import { configuredStore, readRouting, watchFile } from '../../serve/routing-file.js';
import { WatchedFiles } from '../../serve/watched-files.js';
import { Service, type ServiceOptions } from '../../serve/service.js';
import { isLoopback } from '../../web/address.js';
import { builtServicePage } from '../../web/page-files.js';
import type { Io } from '../shared/command.js';
import { print, say } from '../shared/output.js';
import {
  largeGrowth,
  largeHeapGrowth,
  limitExternalMemory,
  limitHeapGrowth,
  limitYoungGeneration,
  releaseYoungGeneration,
  smallGrowth,
  smallHeapGrowth,
} from '../../memory-limits.js';
import { Interruption } from '../shared/interruption.js';
import type { ServeFlags } from './command.js';
import { Hangup } from './hangup.js';
import { serveLog } from './log.js';
import { LostState } from './lost-state.js';
import { openStoreFor, storeUrl } from '../shared/store-flags.js';

/** Serves until a signal, or until the state can no longer be written. */
export async function serve(flags: ServeFlags, io: Io): Promise<void> {
  limitHeapGrowth();
  // At once: what the young generation has grown to, it keeps.
  limitYoungGeneration();
  const hangup = new Hangup();
  try {
    await serveUntilEnded(flags, io, hangup);
  } finally {
    hangup.end();
  }
}

async function serveUntilEnded(flags: ServeFlags, io: Io, hangup: Hangup): Promise<void> {
  const token = readToken(flags, io);
  const file = await findConfig({ path: flags.config, cwd: io.cwd, home: homedir(), env: io.env });
  const log = serveLog(flags, io);
  const ending = new AbortController();
  const lost = new LostState(log, systemClock, (error) => ending.abort(error));
  let ended: Promise<void> | undefined;
  let unwatch: () => void = () => undefined;
  let reload: () => void = () => undefined;
  const certificates = new WatchedFiles(() => reload());
  const { close, ...shared } = await sharedStateFor(flags, io, file, log);
  const service = await Service.start({
    ...{ host: flags.host, port: flags.port, token, log },
    ...shared,
    stateDir: resolve(io.cwd, flags.stateDir),
    readRouting: async () => {
      const routing = await readRouting(file, io.env);
      certificates.set(routing.certificateFiles ?? []);
      limitGarbage(routing.destinations.length, shared.openState !== undefined);
      return routing;
    },
    pageFolder: builtServicePage,
    onState: (failure) => lost.note(failure),
    onReady: (listening) => {
      // Before the ready line: its reader may send a signal, or change the file, at once.
      ended = untilEnded(ending, log);
      reload = () => void listening.reload();
      unwatch = reloadOnChange({ service: listening, file, log, hangup });
      ready(flags, io, listening);
    },
  }).catch(async (error: unknown) => {
    await close?.();
    throw startFailure(error);
  });
  lost.begin(service);
  void service.warnOfPrivateAddresses();
  await ended;
  unwatch();
  certificates.close();
  const undelivered = await service.stop().finally(() => lost.end());
  log.info({}, stoppedText(undelivered, close !== undefined));
  if (ending.signal.reason instanceof StateError) throw ending.signal.reason;
}

/** A store that cannot be used from the start is not waited for. */
export function startFailure(error: unknown): unknown {
  return error instanceof StateError && error.cause instanceof EvfwdError ? error.cause : error;
}

const memoryCheckMs = 50;
/** From here on, what they hold themselves leaves no room for more garbage. */
const manyDestinations = 50;

function limitGarbage(destinations: number, hasStore: boolean): void {
  const areMany = destinations >= manyDestinations;
  limitHeapGrowth(areMany ? smallHeapGrowth : largeHeapGrowth);
  limitExternalMemory(memoryCheckMs, areMany ? smallGrowth : largeGrowth);
  // With a store there is room for more: indexes and caches are in the server.
  if (hasStore && !areMany) releaseYoungGeneration();
  else limitYoungGeneration();
}

interface SharedState extends Pick<ServiceOptions, 'openState' | 'clock'> {
  /**
   * Closes the store if the service could not start, since open connections keep the process alive. A service that has
   * started closes it with its state.
   */
  readonly close?: () => Promise<void>;
}

/** The state in a store that instances share; nothing where there is no store. */
async function sharedStateFor(
  flags: ServeFlags,
  io: Io,
  file: string,
  log: Logger,
): Promise<SharedState> {
  const configured = await configuredStore(file, io.env);
  if (storeUrl(flags, io, configured) === undefined) return {};
  const shared = await openStoreFor(flags, io, {
    configured,
    takesJobs: true,
    report: (text, isOver) => log[isOver ? 'info' : 'warn']({}, `store: ${printable(text)}`),
  });
  const { openSharedState, serverClock } = await import('../../serve/store/postgres/open-state.js');
  return {
    ...{ openState: openSharedState(shared), clock: serverClock(shared) },
    close: () => shared.close(),
  };
}

/** An event counts once for each destination that has not got it. */
function stoppedText(undelivered: number, hasStore: boolean): string {
  if (undelivered === 0) return 'stopped; nothing is left to deliver';
  const whom = hasStore ? 'other instances, or the next start' : 'the next start';
  return `stopped; ${countOf(undelivered, 'delivery', 'deliveries')} left for ${whom}`;
}

/** Short tokens can be guessed. */
const minTokenLength = 16;

/** The operations page can disable destinations and send events again, so it needs a token. */
function readToken({ host, adminTokenFile }: ServeFlags, io: Io): string | undefined {
  if (adminTokenFile === undefined) {
    if (isLoopback(host)) return undefined;
    throw new UsageError(
      `--host ${host}: others can reach the operations page there; protect it with --admin-token-file`,
    );
  }
  const token = readSecretFile(adminTokenFile, io.cwd, '--admin-token-file');
  const where = `--admin-token-file ${printable(adminTokenFile)}`;
  if (token.length < minTokenLength) {
    throw new UsageError(
      `${where}: the token is too short; use at least ${minTokenLength} characters, e.g. the output of: openssl rand -hex 16`,
    );
  }
  if (typeof token === 'string' && /^[!-~]+$/.test(token)) return token;
  throw new UsageError(`${where}: the token must be ASCII without spaces, on one line`);
}

/** Printed in every mode, even with `--quiet`: the caller may wait for it. */
function ready({ json, host }: ServeFlags, io: Io, { url, port }: Service): void {
  const operations = `${url}/_evfwd/`;
  const reachable = reachableUrls(host, port);
  if (json) print(io, JSON.stringify({ type: 'ready', url, operations, reachable }));
  else {
    say(io, `serving at ${url}, operations page at ${operations}`);
    if (reachable) say(io, reachableText(reachable));
  }
}

function reachableText(urls: readonly string[]): string {
  if (urls.length > 0) return `reachable from other machines at ${urls.join(', ')}`;
  return 'not reachable from other machines: this one has no network address';
}

/** @returns a function that stops the reloads */
function reloadOnChange({ service, file, log, hangup }: Reloading): () => void {
  const reload = (): void => void service.reload();
  hangup.begin(reload);
  const unwatch = watched(file, reload, log);
  return () => {
    unwatch();
    hangup.ignore();
  };
}

interface Reloading {
  readonly service: Service;
  readonly file: string;
  readonly log: Logger;
  readonly hangup: Hangup;
}

function watched(file: string, reload: () => void, log: Logger): () => void {
  try {
    return watchFile(file, reload);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    log.warn(
      { file: printable(file), code },
      'cannot watch the configuration file; send SIGHUP to reload it',
    );
    return () => undefined;
  }
}

async function untilEnded(ending: AbortController, log: Logger): Promise<void> {
  const interruption = new Interruption(() => {
    log.info({}, 'stopping: finishing in-flight requests; a second signal quits now');
    ending.abort();
  });
  if (!ending.signal.aborted) await once(ending.signal, 'abort');
  if (interruption.exitCode === undefined) interruption.end();
}
