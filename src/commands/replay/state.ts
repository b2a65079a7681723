import { createHash } from 'node:crypto';
import { addressOf, credentialsOf, slowHash } from '../../config/target-identity.js';
import type { Input } from '../../sources/input.js';
import { identityOfChanges } from '../shared/changes.js';
import { identityOf } from '../flags/flag.js';
import { hashOfPaths, openRunState, shortName, type RunState } from '../shared/run-state.js';
import { lastCaptureCheck, type Captures } from './captures.js';
import { replayFlags } from './flags.js';
import type { ReplayParts } from './parts.js';
import type { Prepared, WebhookSettings } from './prepare.js';

/**
 * Opens the state of a replay, identified by its files, its URLs and the options that select what is sent.
 * @throws as `openRunState`
 */
export async function openReplayState(
  { inputs, hars }: Captures,
  prepared: Prepared,
  { flags, changes, items }: Pick<ReplayParts, 'flags' | 'changes' | 'items'>,
): Promise<RunState> {
  const inputPaths = hashOfPaths(inputs);
  const [name, credentials] = await Promise.all([
    stateName(inputs, prepared.settings, { flags, changes }),
    slowHash(credentialsIn(prepared), inputPaths),
  ]);
  return openRunState({
    inputs,
    flags,
    name,
    credentials,
    checkLast: lastCaptureCheck(hars, items),
  });
}

/** Those that are sent: no secret where the recorded signatures go along, and all headers that are added. */
function credentialsIn({ settings, compositions, signers }: Prepared): readonly unknown[] {
  const endpoints = settings.endpoints.map((endpoint, index) => ({
    ...endpoint,
    headers: compositions[index]!.added,
  }));
  const { signing, ...unsigned } = { ...settings, endpoints };
  return credentialsOf(signers.length > 0 && signing ? { ...unsigned, signing } : unsigned);
}

/** Everything but secrets and header values; queries are in it by a slow hash. A limit only bounds one run. */
async function stateName(
  inputs: readonly Input[],
  settings: WebhookSettings,
  { flags, changes }: Pick<ReplayParts, 'flags' | 'changes'>,
): Promise<string> {
  const inputPaths = hashOfPaths(inputs);
  const known = {
    replay: inputPaths,
    ...(await addressOf(settings, inputPaths)),
    options: identityOf(replayFlags, flags),
    ...(await identityOfChanges(changes, inputPaths)),
  };
  const hash = createHash('sha256').update(JSON.stringify(known)).digest('hex');
  return `replay-${shortName(inputs)}-${hash.slice(0, 12)}`;
}
