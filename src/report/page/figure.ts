import { escapeHtml } from './escape.js';
import type { Tick } from './scale.js';

/** Plots are drawn in these units and stretched to the available width. */
export const plotWidth = 1000;
export const plotHeight = 100;

export interface Figure {
  /** Names the parts of the figure; unique on the page. */
  readonly id: string;
  readonly title: string;
  /** The meaning of the axes, in a few words; HTML. */
  readonly note: string;
  /** For screen readers: one sentence about what the plot shows. */
  readonly description: string;
  /** Marks of the plot, as SVG. */
  readonly marks: string;
  /** HTML in front of the plot. */
  readonly overlay?: string;
  readonly x: readonly Tick[];
  readonly y: readonly Tick[];
}

/**
 * A chart: an SVG that stretches with the page, and axis labels in HTML, whose text does not stretch.
 */
export function figureHtml(figure: Figure): string {
  const { id, title, note, description, marks, overlay = '', x, y } = figure;
  return `<section class="panel" aria-labelledby="${id}">
<header><h2 id="${id}">${title}</h2><p class="note">${note}</p></header>
<div class="${overlay === '' ? 'chart' : 'chart marked'}">
<div class="y" aria-hidden="true">${y.map((tick) => yLabel(tick)).join('')}</div>
<svg class="plot" role="img" aria-labelledby="${id}-title ${id}-text" viewBox="0 0 ${plotWidth} ${plotHeight}" preserveAspectRatio="none"><title id="${id}-title">${title}</title><desc id="${id}-text">${escapeHtml(description)}</desc>${y.map((tick) => gridLine(tick)).join('')}${marks}</svg>${overlay}
<div class="x" aria-hidden="true">${x.map((tick, i) => xLabel(tick, i)).join('')}</div>
</div>
</section>`;
}

function gridLine({ at }: Tick): string {
  const y = place((1 - at) * plotHeight);
  return `<path class="${at === 0 ? 'base' : 'grid'}" d="M0 ${y}H${plotWidth}"/>`;
}

function yLabel({ at, label }: Tick): string {
  return `<span style="bottom:${place(at * 100)}%">${escapeHtml(label)}</span>`;
}

/** Every second label is hidden on a narrow page; one at the edge is aligned inwards. */
function xLabel({ at, label }: Tick, index: number): string {
  const lean = at > 0.97 ? ' end' : at < 0.02 ? ' start' : '';
  const rank = index % 2 === 1 ? 'odd' : 'even';
  return `<span class="${rank}${lean}" style="left:${place(at * 100)}%">${escapeHtml(label)}</span>`;
}

/** A coordinate with as many digits as are visible. */
export function place(value: number): number {
  return Math.round(value * 100) / 100;
}
