import type { RequestDetail } from '../../../src/api/listen.js';
import { CopyButton } from '../../shared/controls/copy-button.js';
import { HeaderList } from '../../shared/detail/facts.js';

/** The headers as received. */
export function Headers({ headers }: Pick<RequestDetail, 'headers'>) {
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
