import { isUtf8 } from 'node:buffer';
import { withoutByteOrderMark } from '../../json/byte-order-mark.js';
import type { Variant } from './hypothesis.js';
import { kept, spellings, type Spelling } from './json-spelling.js';
import { readJson, respell, writeJson, type JsonText, type Layout } from './json-text.js';

/** Writing a larger body again in every style would take longer than anyone waits. */
export const maxJson = 2 * 1024 * 1024;

/** Only up to this size are all recipes tested; above, those with at most one peculiarity. */
const maxForAll = 128 * 1024;

interface NamedLayout extends Layout {
  readonly name: string;
}

const layouts: readonly NamedLayout[] = [
  { name: 'minified', comma: ',', colon: ':' },
  { name: 'with a space after , and : (as Python does)', comma: ', ', colon: ': ' },
  { name: 'indented by 2 spaces', comma: ',', colon: ': ', indent: '  ' },
  { name: 'indented by 4 spaces', comma: ',', colon: ': ', indent: '    ' },
  { name: 'indented by tabs', comma: ',', colon: ': ', indent: '\t' },
];

interface Recipe {
  readonly layout: NamedLayout | undefined;
  readonly spelling: Spelling;
  readonly sorted: boolean;
  /** Numbers and repeated members as JSON.parse returns them. */
  readonly parsed: boolean;
  readonly newline: boolean;
}

/** The bodies that JSON libraries produce by reading and writing the body, the likeliest first. */
export function* jsonVariants(body: Buffer): Generator<Variant> {
  if (body.length > maxJson || !isUtf8(body)) return;
  const text = withoutByteOrderMark(body).toString('utf8');
  const own = readJson(text);
  if (!own) return;
  const parsed = readJson(JSON.stringify(JSON.parse(text)))!;
  const most = body.length > maxForAll ? 1 : Infinity;
  for (const recipe of recipes) {
    if (peculiarities(recipe) > most) return;
    const bytes = Buffer.from(written(recipe, text, recipe.parsed ? parsed : own));
    if (!bytes.equals(body)) yield { bytes, hypothesis: { fact: factOf(recipe), step } };
  }
}

const step = 'sign and check the raw bytes of the body, before any parser touches them';

const recipes: readonly Recipe[] = allRecipes().sort(
  (one, other) => peculiarities(one) - peculiarities(other),
);

function allRecipes(): Recipe[] {
  const found: Recipe[] = [];
  for (const newline of [false, true])
    for (const parsed of [false, true])
      for (const sorted of [false, true])
        for (const spelling of [kept, ...spellings])
          for (const layout of [...layouts, undefined])
            found.push({ layout, spelling, sorted, parsed, newline });
  return found.filter(isPossible);
}

/** Without a layout of its own only the spelling of strings can differ. */
function isPossible({ layout, spelling, sorted, parsed, newline }: Recipe): boolean {
  return layout !== undefined || (spelling !== kept && !sorted && !parsed && !newline);
}

function peculiarities({ spelling, sorted, parsed, newline }: Recipe): number {
  return Number(spelling !== kept) + Number(sorted) + Number(parsed) + Number(newline);
}

function written(
  { layout, spelling, sorted, newline }: Recipe,
  text: string,
  json: JsonText,
): string {
  const { spell } = spelling;
  const out = layout ? writeJson(json, { layout, sorted, spell }) : respell(text, spell);
  return newline ? `${out}\n` : out;
}

function factOf({ layout, spelling, sorted, parsed, newline }: Recipe): string {
  const how = [
    layout?.name,
    spelling.name,
    parsed && 'with numbers as JavaScript writes them',
    sorted && 'with its keys sorted',
    newline && 'with a trailing newline (LF)',
  ];
  return `the body is its JSON written again, ${how.filter(Boolean).join(', ')}`;
}
