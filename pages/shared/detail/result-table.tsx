import type { ComponentChildren } from 'preact';

interface ResultTableProps {
  readonly label: string;
  readonly columns: readonly string[];
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A table of HTTP responses that scrolls on its own when it is long. */
export function ResultTable({ label, columns, children }: ResultTableProps) {
  return (
    // Focusable, so that it can be scrolled by keyboard.
    <div class="results-scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((title) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
