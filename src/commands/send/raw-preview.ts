import { contentTypeOf } from '../../http/header-rules.js';
import { compose, type Composition } from '../../replay/compose.js';
import type { RecordedRequest } from '../../replay/recorded-request.js';
import { signAnew } from '../../replay/sign-anew.js';
import type { RequestSigner, SigningSettings } from '../../sign/request-signer.js';
import { UsageError } from '../../errors.js';
import type { Io } from '../shared/command.js';
import {
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
  const requests = parts.compositions.map((composition) => ({
    ...requestTo(composition, request, parts),
    bodyFile,
  }));
  showRequests(requests, parts.signing, flags, io);
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
  const { added } = composition;
  const own = headers.filter((pair) => !added.includes(pair));
  return {
    ...{ method, body, url: signed.url, proxy: composition.proxy },
    headers: [
      ...own.map(plainHeader),
      ...added.map(secretHeader),
      ...signed.headers.map(plainHeader),
    ],
  };
}
