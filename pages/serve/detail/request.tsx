import { useMemo } from 'preact/hooks';
import type { StoredCapture } from '../../../src/api/serve.js';
import { Body } from '../../shared/body/body.js';
import { Fact } from '../../shared/detail/facts.js';
import { Headers } from '../../shared/detail/headers.js';
import { Verdict } from '../../shared/detail/verdict.js';
import { Received } from '../../shared/text/received.js';

interface RequestProps {
  readonly request: StoredCapture;
}

/** The verdict on the signature of a request, and its line. */
export function RequestFacts({ request }: RequestProps) {
  const { method, path, signature, scheme, reason } = request;
  return (
    <>
      <Fact name="Request">
        <code>
          {method} <Received text={path} />
        </code>
      </Fact>
      <Fact name="Signature">
        <Verdict verdict={signature} />{' '}
        {reason !== undefined && reason !== signature && <code class="reason">{reason}</code>}
      </Fact>
      {scheme !== undefined && (
        <Fact name="Scheme">
          <code>
            <Received text={scheme} />
          </code>
        </Fact>
      )}
    </>
  );
}

/** The body of a request as what it is, and its headers. */
export function RequestContent({ request }: RequestProps) {
  const headers = useMemo(() => pairsOf(request), [request]);
  const content = useMemo(() => {
    const { body = null, bodyBase64 = null } = request;
    const contentType = headers.find(([name]) => name === 'content-type')?.[1];
    return { body, bodyBase64, contentType };
  }, [request, headers]);
  return (
    <>
      <Body content={content} />
      <Headers headers={headers} />
    </>
  );
}

function pairsOf({ headers }: StoredCapture): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
}
