import { contentTypeOf } from '../../http/header-rules.js';
import { compose, type Composition } from '../../replay/compose.js';
import type { RecordedRequest } from '../../replay/recorded-request.js';
import { signAnew } from '../../replay/sign-anew.js';
import type { RequestSigner, SigningSettings } from '../../sign/request-signer.js';
import { exitCodes, UsageError } from '../../errors.js';
import { withoutQuery } from '../../http/url.js';
import type { Io } from '../shared/command.js';
import { say } from '../shared/output.js';
import {
  authorizationHeader,
  plainHeader,
  secretHeader,
  showRequests,
  type PreviewedRequest,
  type PreviewFlags,
} from './request-preview.js';

/** How a body is sent that `--raw` takes as it is. */
export interface RawParts {
  /** One per URL. */
  readonly compositions: readonly Composition[];
  readonly signers: readonly RequestSigner[];
  readonly signing: readonly SigningSettings[];
  readonly messageId: string;
  /** Of each URL why it does not want the body; undefined if it does. */
  readonly unwanted: readonly (string | undefined)[];
}

interface RawPreviewFlags extends PreviewFlags {
  raw?: string;
}

/** Shows the requests of `send --raw`, for `--dry-run` and `--curl`. */
export function previewRaw(
  request: RecordedRequest,
  parts: RawParts,
  flags: RawPreviewFlags,
  io: Io,
): void {
  const bodyFile = flags.raw === '-' ? undefined : flags.raw;
  const { unwanted, compositions } = parts;
  const requests = compositions
    .filter((_, index) => unwanted[index] === undefined)
    .map((composition) => ({ ...requestTo(composition, request, parts), bodyFile }));
  showRequests(requests, parts.signing, flags, io);
  unwanted.forEach((reason, index) => {
    const url = withoutQuery(compositions[index]!.base.url);
    if (reason !== undefined) say(io, `not sent to ${url}: ${reason}`);
  });
  if (requests.length === 0) io.exit(exitCodes.negative);
}

function requestTo(
  composition: Composition,
  request: RecordedRequest,
  { signers, messageId }: RawParts,
): PreviewedRequest {
  const composed = compose(request, composition);
  if ('code' in composed) throw new UsageError(`--raw: ${composed.message}`, composed.code);
  const { method, path, headers } = composed;
  const { body } = request;
  const url = composition.base.origin + path;
  const contentType = contentTypeOf(headers.flat());
  const unsigned = { body, id: messageId, nowMs: Date.now(), method, url, contentType };
  const signed = signAnew(signers, unsigned);
  const { added, auth } = composition;
  const own = headers.filter((pair) => !added.includes(pair));
  // `auth` is shown below, as a variable.
  const given = added.filter(([name]) => !auth || name.toLowerCase() !== 'authorization');
  return {
    ...{ method, body, url: signed.url, proxy: composition.proxy, tls: composition.tls?.files },
    headers: [
      ...own.map(plainHeader),
      ...given.map(secretHeader),
      ...(auth ? [authorizationHeader(auth)] : []),
      ...signed.headers.map(plainHeader),
    ],
  };
}
