import type { RequestSigner, RequestToSign, SignedRequest } from '../sign/request-signer.js';
import type { Scheme } from '../sign/schemes/scheme.js';

/** Signs a request in every way that was asked for. */
export function signAnew(
  signers: readonly RequestSigner[],
  request: RequestToSign,
): Required<SignedRequest> {
  const headers: SignedRequest['headers'][number][] = [];
  let { url } = request;
  // A scheme that changes the URL comes first, since others may sign the URL.
  for (const signer of [...signers].sort((one, other) => rank(one) - rank(other))) {
    const signed = signer.sign({ ...request, url });
    headers.push(...signed.headers);
    url = signed.url ?? url;
  }
  return { headers, url };
}

function rank({ scheme }: RequestSigner): number {
  return scheme.special === 'twilio' ? 0 : 1;
}

/** The names of all headers that these schemes send or accept, in lower case. */
export function headersOfSchemes(schemes: Iterable<Scheme>): Set<string> {
  const names = [...schemes].flatMap((scheme) => [
    ...[scheme.header, scheme.secondHeader, scheme.timestamp?.header, scheme.id?.header],
    ...(scheme.aliases ?? []).flatMap(({ signature, timestamp, id }) => [signature, timestamp, id]),
  ]);
  return lowerCase(names);
}

/** The names of headers in which schemes carry an id, in lower case; those of the first scheme first. */
export function idHeadersOf(schemes: Iterable<Scheme>): string[] {
  const names = [...schemes].flatMap(({ id, aliases = [] }) => [
    id?.header,
    ...aliases.map((alias) => alias.id),
  ]);
  return [...lowerCase(names)];
}

function lowerCase(names: readonly (string | undefined)[]): Set<string> {
  return new Set(names.flatMap((name) => (name === undefined ? [] : [name.toLowerCase()])));
}
