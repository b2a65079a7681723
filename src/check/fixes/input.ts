import type { Scheme } from '../../sign/schemes/scheme.js';
import { presets } from '../../sign/schemes/index.js';
import type { FieldLocation, Sender } from '../senders/sender.js';
import { versionOf } from '../scheme-needs.js';
import type { Vendor } from '../options.js';
import type { CheckSettings } from '../settings.js';

/** What the fixes in code are written for. */
export interface FixInput {
  readonly scheme: Scheme;
  /** Whether the key is one of ed25519: the receiver then has the public key. */
  readonly isAsymmetric: boolean;
  /** By which a repeat is recognized; of a batch with ids in its events, the path in each of them. */
  readonly id: FieldLocation;
  /** Whether a body is an array of events with ids of their own. */
  readonly isBatch: boolean;
  /** Whether bodies may be forms. */
  readonly hasForms: boolean;
  /** What the endpoint is asked for besides events. */
  readonly handshake?: Handshake | undefined;
}

/** A member `challenge` to send back, as Slack and Twitch have it, or the one of Zoom. */
export type Handshake = 'challenge' | 'zoom';

const handshakes: Readonly<Partial<Record<Vendor, Handshake>>> = {
  slack: 'challenge',
  twitch: 'challenge',
  zoom: 'zoom',
};

/** The fixes of a run are for its scheme and for the events of its sender. */
export function fixInputOf({
  signing,
  sender,
  handshake,
}: Pick<CheckSettings, 'signing' | 'sender' | 'handshake'>): FixInput {
  return {
    scheme: signing?.scheme ?? presets.get('x-signature')!,
    isAsymmetric: signing !== undefined && versionOf(signing).digest === 'ed25519',
    ...idOf(sender),
    hasForms: sender.hasForms,
    handshake: handshake && handshakes[handshake.vendor],
  };
}

function idOf({ id = { path: ['id'] }, isBatch, root }: Sender): Pick<FixInput, 'id' | 'isBatch'> {
  if (!isBatch || 'header' in id) return { id, isBatch: false };
  const isInside = id.path.slice(0, root.length).join() === root.join();
  return { id: { path: isInside ? id.path.slice(root.length) : id.path }, isBatch };
}
