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
    <section class="traffic" aria-labelledby="traffic-title">
      <Plots destination={destination} series={series} span={span} onSpan={choose} />
    </section>
  );
}

function stepText(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${seconds / 60} min`;
}

interface PlotsProps {
  readonly destination: string | undefined;
  /** Undefined until it is loaded. */
  readonly series: Series | undefined;
  readonly span: Span;
  readonly onSpan: (span: Span) => void;
}

const nothing: Series = {
  ...{ stepSeconds: 10, from: new Date(0).toISOString(), first: 0, next: 0 },
  ...{ received: [], delivered: [], failedAttempts: [], waiting: [] },
};

/** Two charts beside each other: what happened in each step, and what waited at its end. */
function Plots({ destination, series: loaded, span, onSpan }: PlotsProps) {
  const series = loaded ?? nothing;
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
      class="plots charts"
      ref={place}
      tabIndex={0}
      role="group"
      aria-label={`${sentenceOf(series, span)} Left and right arrows read the steps.`}
      onKeyDown={press}
      onBlur={() => setPointed(undefined)}
    >
      <div class="chart">
        <header>
          <h2 id="traffic-title">
            {destination === undefined ? 'Traffic' : <Received text={destination} />}
            <span class="quiet"> per {stepText(stepSeconds)}</span>
          </h2>
          <Legend lines={rateLines} series={series} pointed={pointed} />
        </header>
        {loaded && (
          <Plot
            version={version}
            height={plotPx}
            options={() => plotOptions(rateLines, options)}
            data={rates}
            label={sentenceOf(series, span)}
            onPoint={setPointed}
          />
        )}
        {loaded && isSilent(series) && <p class="silent">Nothing in this span so far</p>}
      </div>
      <div class="chart">
        <header>
          <h2>Backlog</h2>
          <Legend lines={[waitingLine]} series={series} pointed={pointed} />
          <Switch
            label="Span of the charts"
            choices={(['15m', '1h', '24h'] as const).map((value) => ({
              value,
              label: spanNames[value],
            }))}
            chosen={span}
            onChoose={onSpan}
          />
        </header>
        {loaded && (
          <Plot
            version={version}
            height={plotPx}
            options={() => plotOptions([waitingLine], options)}
            data={waits}
            label={`${countOf(series.waiting.at(-1) ?? 0, 'event')} queued or waiting now.`}
            onPoint={setPointed}
          />
        )}
      </div>
      {loaded && <TrafficTable series={series} />}
    </div>
  );
}

/** In pixels. */
const plotPx = 84;

interface LegendProps {
  readonly lines: readonly Line[];
  readonly series: Series;
  /** Index of the step that is pointed at; otherwise the sums are shown, and what waits now. */
  readonly pointed: number | undefined;
}

function Legend({ lines, series, pointed }: LegendProps) {
  const isPointed = pointed !== undefined && pointed < series.received.length;
  const valueOf = ({ name }: Line): number => {
    if (isPointed) return series[name][pointed]!;
    return name === 'waiting' ? (series.waiting.at(-1) ?? 0) : sum(series[name]);
  };
  return (
    <p class="legend" aria-live={isPointed ? 'polite' : 'off'}>
      {isPointed && <span>{secondText(new Date(timesOf(series)[pointed]! * 1000))}</span>}
      {lines.map((line) => (
        <span key={line.name} class={`key line ${line.color.slice(2)}`} title={line.hint}>
          {line.title} <b>{countText(valueOf(line))}</b>
        </span>
      ))}
    </p>
  );
}

function isSilent({ received, delivered, failedAttempts, waiting }: Series): boolean {
  return [received, delivered, failedAttempts, waiting].every((counts) => sum(counts) === 0);
}

function sentenceOf(series: Series, span: Span): string {
  const counts = rateLines.map(({ title, name }) => `${countText(sum(series[name]))} ${title}`);
  return `The last ${spanNames[span]}, since the start of the service: ${counts.join(', ')}, ${countText(series.waiting.at(-1) ?? 0)} queued or waiting now.`;
}

/** So many rows are quickly listened to. */
const maxRows = 12;

/** The chart as a table for screen readers, several steps to a row. */
function TrafficTable({ series }: { readonly series: Series }) {
  const times = timesOf(series);
  const stepsPerRow = Math.max(1, Math.ceil(times.length / maxRows));
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
