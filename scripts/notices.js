import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The licences of the packages that these modules belong to, for the file that goes with a bundle. */
export function noticesOf(modules) {
  const folders = new Set(modules.map(folderOf).filter(Boolean));
  const notices = [...folders].map(noticeOf).sort();
  return ['The command line of evfwd contains code of these packages.\n', ...notices].join(rule);
}

const rule = `\n${'-'.repeat(80)}\n\n`;

function folderOf(module) {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module.replaceAll('\\', '/'))?.[0];
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^(?:licen[cs]e|copying)/i.test(each));
  if (!file) throw new Error(`${name} has no licence file; leave it out of the bundle`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
