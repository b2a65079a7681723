import type { AttemptRow } from '../../../src/api/serve.js';
import { Status } from '../../shared/controls/status.js';
import { ResultTable } from '../../shared/detail/result-table.js';
import { clockText, durationText, errorText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';

interface AttemptsProps {
  readonly title: string;
  readonly attempts: readonly AttemptRow[];
}

/** The attempts of one round, one per endpoint. */
export function Attempts({ title, attempts }: AttemptsProps) {
  return (
    <section class="part" aria-labelledby="attempts-title">
      <header>
        <h3 id="attempts-title">{title}</h3>
      </header>
      <ResultTable label={title} columns={['Time', 'Endpoint', 'Response', 'Duration']}>
        {attempts.map(({ at, url, status, error, durationMs }, index) => (
          <tr key={index}>
            <td class="mono">{clockText(at)}</td>
            <td class="endpoint mono">
              <Received text={url} />
            </td>
            <td>
              <Status status={status} error={error === null ? 'none' : errorText(error)} />
            </td>
            <td>{durationText(durationMs)}</td>
          </tr>
        ))}
      </ResultTable>
    </section>
  );
}
