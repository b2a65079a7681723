import { countText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import type { Difference } from './difference.js';

interface DifferencesProps {
  /** The accessible name. */
  readonly label: string;
  readonly differences: readonly Difference[];
}

const mostDifferences = 300;
/** A longer value begins with its beginning. */
const mostCharacters = 1000;

/** Named values that differ, each as it was and as it is. */
export function Differences({ label, differences }: DifferencesProps) {
  return (
    <>
      <dl class="differences" aria-label={label}>
        {differences.slice(0, mostDifferences).map(({ name, before, after }) => (
          <div key={name}>
            <dt>
              <Received text={name} />
            </dt>
            {before !== undefined && (
              <dd class="removed">
                <span class="sign">−</span>
                <Received text={shortened(before)} isMultiline />
              </dd>
            )}
            {after !== undefined && (
              <dd class="added">
                <span class="sign">+</span>
                <Received text={shortened(after)} isMultiline />
              </dd>
            )}
          </div>
        ))}
      </dl>
      {differences.length > mostDifferences && (
        <p class="quiet">
          The first {countText(mostDifferences)} of {countText(differences.length)} differences.
        </p>
      )}
    </>
  );
}

function shortened(text: string): string {
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
}
