import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'examples/receivers/README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

/** Without blocks of code, whose `#` and brackets are no Markdown. */
const proseOf = (page: string): string => textOf(page).replace(/^( *)```[^]*?^\1```$/gm, '');

function linksOf(page: string): string[] {
  const text = proseOf(page).replace(/`[^`\n]*`/g, '`');
  const links = [
    ...text.matchAll(/\]\(([^()\s]+)\)/g),
    ...text.matchAll(/(?:src|srcset)="(.*?)"/g),
  ];
  return links.map(([, target]) => target!);
}

/** Files of the repository that are not in the package are linked by their address. */
const repository = /^https:\/\/github\.com\/evfwd\/evfwd\/(?:blob|tree)\/main\//;

const isElsewhere = (link: string): boolean => /^[a-z]+:/.test(link) && !repository.test(link);

/** The path of the file that a link leads to, and the anchor in it. */
function targetOf(page: string, link: string): [path: string, anchor: string | undefined] {
  const [file = '', anchor] = link.replace(repository, '').split('#');
  if (file === '') return [page, anchor];
  return [repository.test(link) ? file : normalize(join(dirname(page), file)), anchor];
}

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = [...proseOf(page).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) => {
    const words = heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  return new Set(anchors);
}

describe.each(pages)('the links of %s', (page) => {
  it('lead to files and headings that are there', () => {
    const links = linksOf(page).filter((link) => !isElsewhere(link));
    const broken = links.filter((link) => {
      const [path, anchor] = targetOf(page, link);
      if (!existsSync(join(root, path))) return true;
      return anchor !== undefined && !anchorsOf(path).has(anchor);
    });
    expect(broken).toEqual([]);
  });
});
