import { cutTo, wrapped } from '../../output/columns.js';
import { printable } from '../../output/printable.js';
import { recipes } from '../recipes/index.js';
import { frameworks, type RecipeName } from '../recipes/recipe.js';
import type { CheckResult } from '../result.js';
import { curlLines } from './curl-lines.js';
import { firstOfRecipe } from './groups.js';
import { receivedLines } from './received.js';
import type { TextOptions } from './text-options.js';
import { marks, verdictText } from './words.js';

/** The labels of a problem, with the spaces up to their texts. */
const labelWidth = 9;
const frameworkWidth = 9;

/** What was sent, what was received, why it matters and how to fix it. */
export function problemLines(
  result: CheckResult,
  problems: readonly CheckResult[],
  options: TextOptions,
): string[] {
  const { check, verdict, message } = result;
  const { paint, width } = options;
  const color = verdict === 'fail' ? paint.red : paint.yellow;
  const text = (label: string, value: string): string[] =>
    labeled(label, wrapped(printable(value), width - labelWidth), options);
  return [
    `${color(`${marks[verdict]} ${check.id}`)}  ${paint.dim(verdictText(result))}`,
    `  ${paint.bold(expectationOf(check))}`,
    ...text('found', message),
    ...sentLines(result, options),
    ...cameLines(result, options),
    ...text('why', check.why),
    ...text('fix', check.fix),
    ...codeLines(result, firstOfRecipe(problems, result), options),
  ];
}

/** A bare title below the mark of a failure would read as what the endpoint does. */
function expectationOf({ title }: CheckResult['check']): string {
  return `A good endpoint ${title.charAt(0).toLowerCase()}${title.slice(1)}.`;
}

/** A command begins at the left, so that it can be copied. */
function sentLines({ check, curl }: CheckResult, options: TextOptions): string[] {
  if (curl === undefined)
    return labeled('sent', wrapped(check.sends, options.width - labelWidth), options);
  return labeled('sent', curlLines(curl, options.width - labelWidth), options);
}

/** As long as other commands show of a response; a terminal wraps it. */
const maxReceived = 160;

function cameLines({ evidence }: CheckResult, options: TextOptions): string[] {
  if (!evidence) return [];
  const lines = receivedLines(evidence).map((line) => cutTo(line, maxReceived));
  return labeled('got', lines, options);
}

function labeled(label: string, lines: readonly string[], { paint }: TextOptions): string[] {
  return lines.map((line, i) => {
    const start = i === 0 ? label : '';
    return `  ${paint.dim(start.padEnd(labelWidth - 2))}${line}`;
  });
}

/** Several checks have the same fix in code; it is shown once. */
function codeLines(result: CheckResult, first: CheckResult, options: TextOptions): string[] {
  if (first !== result) return labeled('code', [`as for ${first.check.id}`], options);
  return ['', ...recipeLines(result.check.recipe, options)];
}

function recipeLines(recipe: RecipeName, { paint }: TextOptions): string[] {
  return frameworks.flatMap((name) =>
    recipes[recipe][name].split('\n').map((line, i) => {
      const start = (i === 0 ? name : '').padEnd(frameworkWidth);
      return `  ${paint.dim(start)}${line}`.trimEnd();
    }),
  );
}
