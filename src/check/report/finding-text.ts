import { cutTo, wrapped } from '../../output/columns.js';
import { printable } from '../../output/printable.js';
import type { Paint } from '../../output/text.js';
import { frameworkNames, type Framework } from '../fixes/frameworks.js';
import type { ReportedResult } from '../result.js';
import { curlLines } from './evidence.js';
import type { Finding } from './model.js';
import { expectation, marks, nameOf, verdictText } from './words.js';

/** How a report is printed. */
export interface TextOptions {
  readonly paint: Paint;
  /** Columns of the terminal. Commands are longer where they have to be. */
  readonly width: number;
  /** Whether each check has a line, also in groups where nothing is wrong. */
  readonly isVerbose: boolean;
  /** Whose fixes in code are printed. */
  readonly frameworks: readonly Framework[];
}

/** The labels of a problem, with the spaces up to their texts. */
const labelWidth = 9;

/** As long as other commands show of a response; a terminal wraps it. */
const maxReceived = 160;

/** What was found, how to fix it and why it matters; then what was sent and received. */
export function findingLines(finding: Finding, options: TextOptions): string[] {
  const { first, ids, title, fix, why, received } = finding;
  const { verdict } = first;
  const { paint, width } = options;
  const color = verdict === 'fail' ? paint.red : paint.yellow;
  const text = (label: string, value: string): string[] =>
    labeled(label, wrapped(printable(value), width - labelWidth), options);
  return [
    `${color(`${marks[verdict]} ${ids}`)}  ${paint.dim(verdictText(first))}`,
    `  ${paint.bold(`${expectation(title)}.`)}`,
    ...foundLines(finding, options),
    ...text('fix', fix),
    ...text('why', why),
    ...sentLines(first, options),
    ...labeled(
      'got',
      received.map((line) => cutTo(line, maxReceived)),
      options,
    ),
    ...codeLines(finding, options),
  ];
}

/** A line for each check, with its name if there are several. */
function foundLines({ results }: Finding, options: TextOptions): string[] {
  const columns = options.width - labelWidth;
  const lines = results.flatMap((result) => {
    const name = results.length > 1 ? `${nameOf(result)}: ` : '';
    return wrapped(printable(name + result.message), columns);
  });
  return labeled('found', lines, options);
}

/** Some senders have bodies that fill a screen. */
const maxCommand = 2_500;

/** A command begins at the left, so that it can be copied. */
function sentLines({ check, curl }: ReportedResult, options: TextOptions): string[] {
  const isTooLong = curl !== undefined && curl.length > maxCommand && !options.isVerbose;
  if (curl === undefined || isTooLong) {
    const more = isTooLong ? '; --verbose prints the command' : '';
    return labeled('sent', wrapped(check.sends + more, options.width - labelWidth), options);
  }
  return labeled('sent', curlLines(curl, options.width - labelWidth), options);
}

function labeled(label: string, lines: readonly string[], { paint }: TextOptions): string[] {
  return lines.map((line, i) => {
    const start = i === 0 ? label : '';
    return `  ${paint.dim(start.padEnd(labelWidth - 2))}${line}`;
  });
}

/** Several checks have the same fix in code; it is shown once. It begins at the left, to be copied. */
function codeLines({ code, codeOf }: Finding, options: TextOptions): string[] {
  if (options.frameworks.length === 0) return [];
  if (codeOf) return labeled('code', [`as for ${codeOf.first.check.id}`], options);
  return options.frameworks.flatMap((name, i) => [
    ...(i === 0 ? [] : ['']),
    ...labeled('code', [name], options),
    '',
    ...code(name).split('\n'),
  ]);
}

/** How to get the code that is not printed. */
export function adviceLines(
  hasFindings: boolean,
  { frameworks: chosen, paint, width }: TextOptions,
): string[] {
  if (chosen.length > 0 && !hasFindings) {
    return ['', paint.dim('nothing is to be fixed, so --framework prints no code')];
  }
  if (chosen.length > 0 || !hasFindings) return [];
  const [first, ...others] = frameworkNames;
  const advice = `--framework ${first} prints the fixes in code, complete to be pasted; there are also ${others.join(', ')}`;
  return ['', ...wrapped(advice, width).map(paint.dim)];
}
