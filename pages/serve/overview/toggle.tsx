import { useState } from 'preact/hooks';
import { useOperations } from '../view/operations.js';

interface ToggleProps {
  readonly name: string;
  readonly isOn: boolean;
}

/** Turns a destination on at once, and off after a confirmation: new events are not forwarded then. */
export function Toggle({ name, isOn }: ToggleProps) {
  const operations = useOperations();
  const [isBusy, setBusy] = useState(false);
  const turnOn = async (): Promise<void> => {
    setBusy(true);
    try {
      await operations.switchDestination(name, true);
    } catch (error) {
      operations.notify((error as Error).message);
    }
    setBusy(false);
  };
  return (
    <button
      class="toggle"
      role="switch"
      aria-checked={isOn}
      aria-label={name}
      title={isOn ? 'On: click to turn off' : 'Off: click to turn on'}
      disabled={isBusy}
      onClick={() =>
        isOn ? operations.show({ name: 'turn-off', destination: name }) : void turnOn()
      }
    />
  );
}
