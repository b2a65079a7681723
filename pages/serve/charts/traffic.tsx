import { useMemo, useRef, useState } from 'preact/hooks';
import type { Series } from '../../../src/api/serve.js';
import { Plot } from '../../shared/charts/plot.js';
import { Switch } from '../../shared/controls/fields.js';
import { countOf, countText, secondText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { recall, remember } from '../../shared/view/memory.js';
import { useOperations } from '../view/operations.js';
import { dataOf, type Line, plotOptions, rateLines, sum, timesOf, waitingLine } from './lines.js';
import { type Span, useSeries } from './use-series.js';

const spans = ['1h', '15m', '24h'] as const satisfies Span[];
const spanNames: Readonly<Record<Span, string>> = { '15m': '15 min', '1h': '1 h', '24h': '24 h' };

/** What came in, went out, failed and waited over time, of all destinations or the chosen one. */
export function Traffic() {
  const destination = useOperations().filter.value.destination;
  const [span, setSpan] = useState<Span>(() => recall('traffic', spans));
  const series = useSeries(span, destination);
  const choose = (next: Span): void => {
    remember('traffic', next);
    setSpan(next);
  };
  return (
    <section class="traffic chart" aria-labelledby="traffic-title">
      <header>
        <h2 id="traffic-title">
          {destination === undefined ? 'Traffic' : <Received text={destination} />}
          {series && <span class="quiet"> per {stepText(series.stepSeconds)}</span>}
        </h2>
        <Switch
          label="Span of the chart"
          choices={(['15m', '1h', '24h'] as const).map((value) => ({
            value,
            label: spanNames[value],
          }))}
          chosen={span}
          onChoose={choose}
        />
      </header>
      {series && <Plots series={series} span={span} />}
    </section>
  );
}

function stepText(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${seconds / 60} min`;
}

function Plots({ series, span }: { readonly series: Series; readonly span: Span }) {
  const [pointed, setPointed] = useState<number>();
  const place = useRef<HTMLDivElement>(null);
  const rates = useMemo(() => dataOf(series, rateLines), [series]);
  const waits = useMemo(() => dataOf(series, [waitingLine]), [series]);
  const { stepSeconds } = series;
  const steps = series.received.length;
  const options = { stepSeconds, steps };
  const version = `${span} ${steps}`;
  const step = (by: number): void => {
    const last = series.received.length - 1;
    setPointed(Math.min(Math.max((pointed ?? last + (by < 0 ? 1 : 0)) + by, 0), last));
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowLeft') step(-1);
    else if (event.key === 'ArrowRight') step(1);
    else if (event.key === 'Escape' && pointed !== undefined) setPointed(undefined);
    else return;
    event.stopPropagation();
    event.preventDefault();
  };
  return (
    <div
      class="plots"
      ref={place}
      tabIndex={0}
      role="group"
      aria-label={`${sentenceOf(series, span)} Left and right arrows read the steps.`}
      onKeyDown={press}
      onBlur={() => setPointed(undefined)}
    >
      <Legend series={series} pointed={pointed} />
      <Plot
        version={version}
        height={96}
        options={() => plotOptions(rateLines, { ...options, hasTimes: false })}
        data={rates}
        label={sentenceOf(series, span)}
        onPoint={setPointed}
      />
      <Plot
        version={version}
        height={70}
        options={() => plotOptions([waitingLine], { ...options, hasTimes: true })}
        data={waits}
        label={`${countOf(series.waiting.at(-1) ?? 0, 'event')} waiting now.`}
        onPoint={setPointed}
      />
      {isSilent(series) && <p class="silent">Nothing in this span so far</p>}
      <TrafficTable series={series} />
    </div>
  );
}

interface LegendProps {
  readonly series: Series;
  /** Index of the step that is pointed at; otherwise the sums are shown. */
  readonly pointed: number | undefined;
}

function Legend({ series, pointed }: LegendProps) {
  const isPointed = pointed !== undefined && pointed < series.received.length;
  const valueOf = ({ name }: Line): number =>
    isPointed ? series[name][pointed]! : sum(series[name]);
  const waiting = isPointed ? series.waiting[pointed]! : (series.waiting.at(-1) ?? 0);
  return (
    <p class="legend" aria-live={isPointed ? 'polite' : 'off'}>
      {rateLines.map((line) => (
        <span key={line.name} class={`key line ${line.color.slice(2)}`} title={line.hint}>
          {line.title} <b>{countText(valueOf(line))}</b>
        </span>
      ))}
      <span class="key warn" title={waitingLine.hint}>
        {waitingLine.title} <b>{countText(waiting)}</b>
      </span>
      {isPointed && (
        <span class="pointed">{secondText(new Date(timesOf(series)[pointed]! * 1000))}</span>
      )}
    </p>
  );
}

function isSilent({ received, delivered, failedAttempts, waiting }: Series): boolean {
  return [received, delivered, failedAttempts, waiting].every((counts) => sum(counts) === 0);
}

function sentenceOf(series: Series, span: Span): string {
  const counts = rateLines.map(({ title, name }) => `${countText(sum(series[name]))} ${title}`);
  return `The last ${spanNames[span]}, since the start of the service: ${counts.join(', ')}, ${countText(series.waiting.at(-1) ?? 0)} waiting now.`;
}

/** So many rows are quickly listened to. */
const maxRows = 12;

/** The chart as a table for screen readers, several steps to a row. */
function TrafficTable({ series }: { readonly series: Series }) {
  const times = timesOf(series);
  const stepsPerRow = Math.ceil(times.length / maxRows);
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
