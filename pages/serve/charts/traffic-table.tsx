import type { Series } from '../../../src/api/serve.js';
import { countText, secondText } from '../../shared/text/format.js';
import { rateLines, sum, timesOf, waitingLine } from './lines.js';

/** So many rows are quickly listened to. */
const mostRows = 12;

/** The chart as a table for screen readers, several steps to a row. */
export function TrafficTable({ series }: { readonly series: Series }) {
  const times = timesOf(series);
  const stepsPerRow = Math.ceil(times.length / mostRows);
  const rows = Array.from({ length: Math.ceil(times.length / stepsPerRow) }, (_, index) => {
    const [from, to] = [index * stepsPerRow, (index + 1) * stepsPerRow];
    return {
      time: secondText(new Date(times[from]! * 1000)),
      counts: rateLines.map(({ name }) => sum(series[name].slice(from, to))),
      waiting: series.waiting.slice(from, to).at(-1) ?? 0,
    };
  });
  return (
    <div class="sr-only">
      <table>
        <caption>Events over time</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            {[...rateLines, waitingLine].map(({ name, title }) => (
              <th scope="col" key={name}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, counts, waiting }) => (
            <tr key={time}>
              <th scope="row">{time}</th>
              {[...counts, waiting].map((count, index) => (
                <td key={index}>{countText(count)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
