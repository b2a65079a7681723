import type { Forwarded } from '../../../src/api/listen.js';
import { CopyButton } from '../../shared/controls/copy-button.js';
import { Status } from '../../shared/controls/status.js';
import { Fact } from '../../shared/detail/facts.js';
import { durationText, errorText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';

/** How a request was passed on to the app behind `--forward`, and what came back. */
export function AppFacts({ forwarded }: { readonly forwarded: Forwarded }) {
  const { url, status, durationMs, error } = forwarded;
  return (
    <>
      <Fact name="App">
        <code>
          <Received text={url} />
        </code>
        <CopyButton text={url} what="the URL of the app" />
      </Fact>
      {status !== null && (
        <Fact name="Status">
          <Status status={status} error="" />
        </Fact>
      )}
      {error !== null && (
        <Fact name="Error">
          <span class="status bad">
            <Received text={status === null ? errorText(error) : brokenText(error)} />
          </span>
        </Fact>
      )}
      <Fact name="Duration">{durationText(durationMs)}</Fact>
    </>
  );
}

/** Why the body is not whole. */
function brokenText(error: string): string {
  if (error === 'reset') return 'connection closed within the body';
  if (error === 'aborted') return 'ended within the body';
  return errorText(error);
}
