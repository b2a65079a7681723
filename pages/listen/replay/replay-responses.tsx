import { readBody } from '../../shared/body/read-body.js';
import { Shaped } from '../../shared/body/shaped.js';
import { HeaderList } from '../../shared/detail/facts.js';
import { Received } from '../../shared/text/received.js';
import type { Result } from './use-replay.js';

interface ReplayResponsesProps {
  readonly results: readonly Result[];
  /** A result in a few words. */
  readonly nameOf: (result: Result) => string;
}

const mostResponses = 50;

/** What the responses said that were no success: status, headers, and the beginning of the body. */
export function ReplayResponses({ results, nameOf }: ReplayResponsesProps) {
  const said = results.filter(({ response }) => response !== undefined).slice(-mostResponses);
  return (
    <>
      {said.map((result) => (
        <details class="response" key={result.id} open={results.length === 1}>
          <summary>
            Response {result.status} to <Received text={nameOf(result)} />
          </summary>
          <Response response={result.response!} />
        </details>
      ))}
    </>
  );
}

function Response({ response }: { readonly response: NonNullable<Result['response']> }) {
  const { headers, body = null, bodyBase64 = null } = response;
  const contentType = headers['content-type'];
  const { shape, text } = readBody({ body, bodyBase64, contentType });
  return (
    <>
      <HeaderList headers={Object.entries(headers)} label="Headers of the response" />
      {text !== '' && <Shaped shape={shape} text={text} />}
    </>
  );
}
