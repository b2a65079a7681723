import { frameworkNames, frameworks, type Framework } from '../../check/fixes/frameworks.js';
import { UsageError } from '../../errors.js';
import { quoted } from '../../quoted.js';

/** Collects the values of `--framework`, each once. @throws UsageError for another one */
export function collectFramework(text: string, previous: Framework[] | undefined): Framework[] {
  const framework = frameworks.find((name) => frameworkNames[name] === text.toLowerCase());
  if (framework) return [...new Set([...(previous ?? []), framework])];
  const names = Object.values(frameworkNames);
  throw new UsageError(
    `--framework: there is no code for ${quoted(text, 'this name')}; use ${names.join(', ')}`,
  );
}
