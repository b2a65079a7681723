import type { ReplayRequest } from '../../../src/api/listen.js';
import { Choice } from '../../shared/controls/fields.js';
import { useInspector } from '../view/inspector.js';

type Signature = ReplayRequest['signature'];

interface SignatureChoiceProps {
  readonly chosen: Signature;
  /** What the signature is when it is not made again. */
  readonly captured: string;
  readonly onChoose: (signature: Signature) => void;
}

/** Whether a request is signed again or sent with the signature that it has. */
export function SignatureChoice({ chosen, captured, onChoose }: SignatureChoiceProps) {
  const { hasSecret } = useInspector().setup.value;
  const again = hasSecret
    ? 'with the secret of evfwd listen'
    : 'requires a secret: start evfwd listen with --secret-file';
  const choices = [
    { value: 'again', title: 'Sign again', text: again },
    { value: 'captured', title: 'As captured', text: captured },
  ] as const;
  return (
    <fieldset>
      <legend>Signature</legend>
      {choices.map(({ value, title, text }) => (
        <Choice
          key={value}
          type="radio"
          name="signature"
          value={value}
          checked={chosen === value}
          disabled={value === 'again' && !hasSecret}
          onChange={() => onChoose(value)}
        >
          {title} <span class="quiet">{text}</span>
        </Choice>
      ))}
    </fieldset>
  );
}
