import { headerSecrets, redactionOf } from '../../delivery/redaction.js';
import { requestSecrets } from '../../replay/compose.js';
import { presets } from '../../sign/schemes/index.js';
import type { Scheme } from '../../sign/schemes/scheme.js';
import type { RequestDetail } from '../../api/listen.js';
import type { Verification } from '../../receive/verification.js';

/** What stands in place of a value that is not shared. */
export const hidden = '***';

type Headers = RequestDetail['headers'];

/** What may be passed on of a request: texts without secrets, and headers without the values that are. */
export interface Masked {
  readonly text: (text: string) => string;
  readonly headers: (headers: Headers) => Headers;
}

/** Hides the secrets of the receiver, and the signatures and credentials that the request itself carries. */
export function masked(
  { row, headers, response, ownResponse }: RequestDetail,
  { secrets, own }: Verification,
): Masked {
  const signatures = signatureHeaders([...presets.values(), ...own]);
  const isSecret = (all: Headers): ((pair: Headers[number]) => boolean) => {
    const values = new Set(credentials(all));
    return ([name, value]) => signatures.has(name.toLowerCase()) || values.has(value);
  };
  const values = [headers, response.headers, ownResponse?.headers ?? []].flatMap((all) =>
    all
      .filter(isSecret(all))
      .flatMap(([name, value]) =>
        signatures.has(name.toLowerCase()) ? signatureParts(value) : headerSecrets(value),
      ),
  );
  const redaction = redactionOf([
    ...secrets.flatMap(keyForms),
    ...values,
    ...queryValues(row.path),
  ]);
  // The redaction reads texts of one character per byte.
  const text = (given: string): string =>
    Buffer.from(redaction.all(Buffer.from(given).toString('latin1')), 'latin1').toString();
  return {
    text,
    headers: (all) => {
      const isHidden = isSecret(all);
      return all.map((pair) => [pair[0], isHidden(pair) ? hidden : text(pair[1])]);
    },
  };
}

/** A signature, and those in a list of several; a shorter part is its time or version. */
function signatureParts(value: string): string[] {
  return [value, ...value.split(/[\s,;]+|=(?!=*$)/).filter(({ length }) => length >= 16)];
}

/** A secret as it is given, and the key that the text of Standard Webhooks stands for. */
function keyForms(secret: string | Uint8Array): (string | Uint8Array)[] {
  const [, key] = (typeof secret === 'string' && /^whsec_(.{8,})$/.exec(secret)) || [];
  return key === undefined ? [secret] : [secret, key, Buffer.from(key, 'base64').toString('hex')];
}

/** Values of headers whose names say that they are credentials. */
function credentials(headers: Headers): string[] {
  return requestSecrets({ method: '', path: '', host: '', headers });
}

function signatureHeaders(schemes: readonly Scheme[]): ReadonlySet<string> {
  const names = schemes.flatMap(({ header, secondHeader, aliases = [] }) => [
    header,
    secondHeader,
    ...aliases.map(({ signature }) => signature),
  ]);
  return new Set(names.flatMap((name) => name?.toLowerCase() ?? []));
}

/** Values of parameters whose names say that they are credentials. */
function queryValues(path: string): string[] {
  const query = path.includes('?') ? path.slice(path.indexOf('?') + 1) : '';
  const secret = [...new URLSearchParams(query)].filter((pair) => credentials([pair]).length > 0);
  const raw = query.split('&').map((part) => part.slice(part.indexOf('=') + 1));
  const values = secret.map(([, value]) => value);
  return [...values, ...raw.filter((value) => values.includes(decodedQuery(value)))];
}

/** As `URLSearchParams` decodes a value. */
function decodedQuery(value: string): string {
  return new URLSearchParams(`v=${value}`).get('v') ?? '';
}
