import { presets } from '../sign/schemes/index.js';
import { requestSigner, type SigningSettings } from '../sign/request-signer.js';
import type { Scheme } from '../sign/schemes/scheme.js';
import { UsageError } from '../errors.js';
import { isRefusal } from './acceptance.js';
import { checkEvent } from './events.js';
import { described, isSuccess, type Exchange } from './exchange.js';
import { otherSecret } from './forgery.js';
import { Prober } from './prober.js';
import { senderOf } from './senders/index.js';
import type { Session } from './session.js';

/** Whether an endpoint refused each of these, as one does that expects another signature. */
export function areRefused(exchanges: readonly Exchange[]): boolean {
  return exchanges.length > 0 && exchanges.every(isRefusal);
}

/**
 * Why an endpoint refused every valid event, in a sentence: its secret or scheme is not that of the run. The
 * other presets are tried with the same secret, and the one that is accepted is named.
 * @throws SessionEnded when nothing more is sent
 */
export async function disagreement(session: Session, refused: Exchange): Promise<string> {
  const { signing } = session.settings;
  const came = `every valid event was refused (${described(refused)})`;
  if (!signing)
    return `${came}, and none was signed; pass the secret of the endpoint (--secret-file)`;
  const { name } = signing.scheme;
  const accepted = await acceptedPreset(session, signing);
  if (accepted !== undefined) {
    return `${came}: the endpoint does not expect ${name}, but accepts the same secret as ${accepted}; use --scheme ${accepted}`;
  }
  const mayExpectOthers = refused.response?.status === 400 && !session.settings.sender.isSample;
  const form = mayExpectOthers ? ', or it expects other bodies (--body sends your own)' : '';
  return `${came}: the secret or the scheme (${name}) is not that of the endpoint${form}; no other scheme is accepted with this secret either`;
}

/** The name of another preset that is accepted with the newest secret, and not with any secret. */
async function acceptedPreset(
  session: Session,
  { scheme, secrets }: SigningSettings,
): Promise<string | undefined> {
  for (const preset of presets.values()) {
    if (preset.name === scheme.name) continue;
    const signing = { scheme: preset, secrets: secrets.slice(0, 1) };
    if (!canSign(signing) || !(await isAccepted(session, signing))) continue;
    const forging = { scheme: preset, secrets: [otherSecret(signing)] };
    if (!(await isAccepted(session, forging))) return preset.name;
  }
  return undefined;
}

function canSign(signing: SigningSettings): boolean {
  try {
    requestSigner(signing, 'the secret');
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

async function isAccepted(session: Session, signing: SigningSettings): Promise<boolean> {
  const prober = new Prober(session, `scheme.${signing.scheme.name}`);
  const { sender } = session.settings;
  const own = sender.isSample ? sender : senderOf(signing.scheme);
  const event = checkEvent(own, idFor(prober, signing.scheme));
  return isSuccess(await prober.send(() => prober.request(event, { signing })));
}

/** Without dots, since some schemes send another id in place of one with dots. */
function idFor(prober: Prober, { id }: Scheme): string {
  return id ? prober.nextId().replaceAll('.', '_') : prober.nextId();
}
