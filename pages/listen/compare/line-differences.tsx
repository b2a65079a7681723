import { useMemo } from 'preact/hooks';
import { countOf, countText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { hunksOf, type Hunk } from './hunks.js';
import { diffLines } from './line-diff.js';

interface LineDifferencesProps {
  readonly before: string;
  readonly after: string;
}

const mostLines = 2000;
const mostCharacters = 2000;
const signs = { same: ' ', removed: '−', added: '+' } as const;

/** Two texts, line by line. */
export function LineDifferences({ before, after }: LineDifferencesProps) {
  const hunks = useMemo(
    () => hunksOf(diffLines(before.split('\n'), after.split('\n'))),
    [before, after],
  );
  return (
    <>
      <ol class="line-differences" aria-label="Lines that differ" tabIndex={0}>
        {hunks.slice(0, mostLines).map((hunk, index) => (
          <Line key={index} hunk={hunk} />
        ))}
      </ol>
      {hunks.length > mostLines && (
        <p class="quiet">
          The first {countText(mostLines)} of {countOf(hunks.length, 'line')}.
        </p>
      )}
    </>
  );
}

function Line({ hunk }: { readonly hunk: Hunk }) {
  if (hunk.kind === 'skipped') {
    return <li class="quiet">… {countOf(hunk.count, 'equal line')}</li>;
  }
  return (
    <li class={hunk.kind}>
      <span class="sign">{signs[hunk.kind]}</span>
      <Received text={hunk.text.slice(0, mostCharacters)} />
      {hunk.text.length > mostCharacters && '…'}
    </li>
  );
}
