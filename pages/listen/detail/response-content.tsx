import type { ResponseDetail } from '../../../src/api/listen.js';
import { RawText } from '../../shared/body/raw-text.js';
import { HeaderList } from '../../shared/detail/facts.js';

interface ResponseContentProps {
  readonly response: ResponseDetail;
  /** For the labels. */
  readonly name: string;
}

/** The headers and the body of a response. */
export function ResponseContent({ response: { headers, body }, name }: ResponseContentProps) {
  return (
    <>
      {headers.length > 0 && <HeaderList headers={headers} label={`Headers of ${name}`} />}
      {body !== '' && <RawText text={body} label={`Body of ${name}`} />}
    </>
  );
}
