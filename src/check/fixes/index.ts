import { recipes } from '../recipes/index.js';
import { fixOf, type Framework, type RecipeName } from '../recipes/recipe.js';
import { handlerCode } from './handler.js';
import type { FixInput } from './input.js';

/** The code of a fix, as it is shown and pasted. */
export function fixCode(recipe: RecipeName, framework: Framework, input: FixInput): string {
  const fix = fixOf(recipe);
  return fix === 'handler' ? handlerCode(framework, input) : recipes[fix][framework];
}
