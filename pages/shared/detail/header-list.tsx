import { Received } from '../text/received.js';

interface HeaderListProps {
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The accessible name. */
  readonly label: string;
}

/** Headers in their order, duplicates included. */
export function HeaderList({ headers, label }: HeaderListProps) {
  return (
    <dl class="headers" aria-label={label}>
      {headers.map(([name, value], index) => (
        <div key={index}>
          <dt>
            <Received text={name} />
          </dt>
          <dd>
            <Received text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
