import { CopyButton } from '../controls/copy-button.js';
import { HeaderList } from './facts.js';

interface HeadersProps {
  /** In their order; a name can be repeated. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** The headers of a request, as received. */
export function Headers({ headers }: HeadersProps) {
  const text = headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  return (
    <section class="part" aria-labelledby="headers-title">
      <header>
        <h3 id="headers-title">Headers</h3>
        <CopyButton text={text} what="the headers" />
      </header>
      <HeaderList headers={headers} label="Headers of the request" />
    </section>
  );
}
