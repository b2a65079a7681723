import type { Key } from './key.js';

/** The keys that a page knows. */
export function KeyList({ keys }: { readonly keys: readonly Omit<Key<never>, 'act'>[] }) {
  return (
    <dl class="keys">
      {keys.map(({ shown, does }) => (
        <div key={does}>
          <dt>
            {shown.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}
