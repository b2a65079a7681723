import type { AttemptRow } from '../../service-api.js';
import { clockText, durationText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { answerOf } from '../outcomes/reason.js';

interface AttemptsProps {
  readonly title: string;
  readonly attempts: readonly AttemptRow[];
}

/** The attempts of one round, one for each endpoint that was tried. */
export function Attempts({ title, attempts }: AttemptsProps) {
  return (
    <section class="part" aria-labelledby="attempts-title">
      <header>
        <h3 id="attempts-title">{title}</h3>
      </header>
      {/* Focusable, so that the keyboard can scroll it. */}
      <div class="results-scroll" tabIndex={0} role="region" aria-label={title}>
        <table>
          <thead>
            <tr>
              <th scope="col">At</th>
              <th scope="col">Endpoint</th>
              <th scope="col">Answer</th>
              <th scope="col">Took</th>
            </tr>
          </thead>
          <tbody>
            {attempts.map((attempt, index) => (
              <tr key={index}>
                <td class="mono">{clockText(attempt.at)}</td>
                <td class="endpoint mono">
                  <Received text={attempt.url} />
                </td>
                <td class={isGood(attempt) ? 'status' : 'status bad'}>
                  <Received text={answerOf(attempt)} />
                </td>
                <td>{durationText(attempt.durationMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function isGood({ status }: AttemptRow): boolean {
  return status !== null && status >= 200 && status < 300;
}
