import {
  batchPaths,
  deletePath,
  healthPath,
  metricsPath,
  pixelPath,
  settingsPath,
  singlePaths,
  sourceConfigPath,
} from './paths.js';
import { targetOf } from './target.js';

const exact: ReadonlySet<string> = new Set([
  ...[...batchPaths, ...singlePaths.keys()],
  ...[deletePath, healthPath, metricsPath, sourceConfigPath],
]);
const patterns = [pixelPath, settingsPath, /^\/_evfwd(?:\/|$)/];

/** Whether a request with this URL is for the collection API or the operations page. */
export function isPathOfService(url: string): boolean {
  if (exact.has(url)) return true;
  const path = targetOf(url)?.path;
  return path !== undefined && (exact.has(path) || patterns.some((one) => one.test(path)));
}
