import { firstLineOf } from '../output/response-text.js';
import { redactionFor } from './presentable.js';
import { presets } from '../sign/schemes/index.js';
import { requestSigner, type SigningSettings } from '../sign/request-signer.js';
import { UsageError } from '../errors.js';
import { checkEvent, type CheckEvent } from './events.js';
import { described, isSuccess, type Exchange } from './exchange.js';
import { otherSecret } from './forgery.js';
import { Prober } from './prober.js';
import { senderOf } from './senders/index.js';
import { isForm } from './senders/sender.js';
import type { Session } from './session.js';
import { isObject } from '../json/is-object.js';
import { unicodeEscape } from './spelling.js';

/** Why an endpoint refuses every valid event. */
export interface Disagreement {
  /** In a sentence without a period. */
  readonly reason: string;
  /** Whether it verifies another body than the one that was sent: that is its fault. */
  readonly serializesAgain: boolean;
}

/**
 * Finds out why an endpoint refused every valid event: it serializes bodies again, or its secret or scheme is not
 * that of the run. Undefined if it tells valid events from forged ones, so that it refuses them for what they are.
 * @throws SessionEnded when nothing more is sent
 */
export async function disagreement(
  session: Session,
  refused: Exchange,
): Promise<Disagreement | undefined> {
  const { signing } = session.settings;
  const came = `every valid event was refused (${described(refused)})`;
  const because = (text: string): Disagreement => ({ reason: came + text, serializesAgain: false });
  if (!signing)
    return because(', and none was signed; pass the secret of the endpoint (--secret-file)');
  const { scheme, secrets } = signing;
  const trial = new Trial(session);
  const forged = await trial.send(trial.event(), { scheme, secrets: [otherSecret(signing)] });
  if (forged.response && forged.response.status !== refused.response?.status) return undefined;
  const serializer = await trial.acceptedSerializer({ scheme, secrets: secrets.slice(0, 1) });
  if (serializer !== undefined) {
    const reason = `${came}, but the same event is accepted as ${serializer} writes it: the endpoint verifies a body that it has serialized again`;
    return { reason, serializesAgain: true };
  }
  for (const older of secrets.slice(1)) {
    if (isSuccess(await trial.send(trial.event(), { scheme, secrets: [older] }))) {
      return because(
        ', but it accepts an older secret; deploy the new one, or pass the old one first',
      );
    }
  }
  const { named, unverified } = await trial.otherSchemes(signing);
  if (named !== undefined) {
    return because(
      `: the endpoint does not expect ${scheme.name}, but accepts the same secret as ${named}; use --scheme ${named}`,
    );
  }
  const mayExpectOthers = refused.response?.status === 400 && !session.settings.sender.isSample;
  const form = mayExpectOthers ? ', or it expects other bodies (--body sends your own)' : '';
  const parsed = ', or it parses the body before it verifies it (give it the raw bytes)';
  const others =
    unverified === undefined
      ? 'no other scheme is accepted with this secret either'
      : `events signed as ${unverified} are accepted with any secret, so they are not verified`;
  return because(
    `: the secret or the scheme (${scheme.name}) is not that of the endpoint${parsed}${form}; ${others}${saidBy(refused, session)}`,
  );
}

/** The first line of what a response says. */
function saidBy({ response }: Exchange, { settings }: Session): string {
  const text = redactionFor(settings).all(response?.body.toString('latin1') ?? '');
  const line = firstLineOf({ headers: {}, body: Buffer.from(text, 'latin1').toString() });
  return line === undefined ? '' : `; it said: ${line}`;
}

/** The requests that find out what an endpoint expects. */
class Trial {
  readonly #session: Session;
  readonly #prober: Prober;

  constructor(session: Session) {
    this.#session = session;
    this.#prober = new Prober(session, 'scheme');
  }

  event(): CheckEvent {
    return this.#prober.event();
  }

  send(event: CheckEvent, signing: SigningSettings): Promise<Exchange> {
    return this.#prober.send(() => this.#prober.request(event, { signing }));
  }

  /** What writes JSON in a way that is accepted. */
  async acceptedSerializer(signing: SigningSettings): Promise<string | undefined> {
    if (isForm(this.#session.settings.sender)) return undefined;
    for (const [name, serialize] of Object.entries(serializers)) {
      const event = this.event();
      const body = Buffer.from(serialize(JSON.parse(event.body.toString())));
      if (isSuccess(await this.send({ ...event, body }, signing))) return name;
    }
    return undefined;
  }

  /** The scheme that is accepted with the newest secret, and not with any secret; or else one that is not verified. */
  async otherSchemes({
    scheme,
    secrets,
  }: SigningSettings): Promise<{ named?: string; unverified?: string | undefined }> {
    let unverified: string | undefined;
    for (const preset of presets.values()) {
      const signing = { scheme: preset, secrets: secrets.slice(0, 1) };
      if (preset.name === scheme.name || !canSign(signing)) continue;
      const { sender } = this.#session.settings;
      const own = sender.isSample || sender.isBatch ? sender : senderOf(preset);
      // Without dots, since some schemes send another id in place of one with dots.
      const event = (): CheckEvent => checkEvent(own, this.#prober.nextId().replaceAll('.', '_'));
      const exchange = await this.send(event(), signing);
      // Each waits for three times the deadline.
      if (!exchange.response) break;
      if (!isSuccess(exchange)) continue;
      const forging = { scheme: preset, secrets: [otherSecret(signing)] };
      if (!isSuccess(await this.send(event(), forging))) return { named: preset.name };
      unverified ??= preset.name;
    }
    return { unverified };
  }
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

/** How others than JavaScript write JSON, for receivers that serialize a body again before they verify it. */
const serializers: Readonly<Record<string, (value: unknown) => string>> = {
  'json.dumps of Python': (value) =>
    asciiOnly(JSON.stringify(value)).replace(tokens, (token) =>
      token === ',' || token === ':' ? `${token} ` : token,
    ),
  'json_encode of PHP': (value) => asciiOnly(JSON.stringify(value)).replaceAll('/', '\\/'),
  'a serializer that sorts members': (value) =>
    JSON.stringify(sorted(value)).replace(/[<>&]/g, unicodeEscape),
};

/** Texts, and what stands between them. */
const tokens = /"(?:[^"\\]|\\.)*"|[,:]/g;

function asciiOnly(text: string): string {
  return text.replace(/[^\0-\x7f]/g, unicodeEscape);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}
