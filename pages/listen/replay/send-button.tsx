interface SendButtonProps {
  readonly isRunning: boolean;
  readonly isDisabled?: boolean;
  readonly onStop: () => void;
}

/** Submits its form; while requests are being sent, stops that. */
export function SendButton({ isRunning, isDisabled = false, onStop }: SendButtonProps) {
  if (isRunning) {
    return (
      <button key="stop" type="button" class="button" onClick={onStop}>
        Stop
      </button>
    );
  }
  return (
    <button key="send" class="button primary" disabled={isDisabled}>
      Send
    </button>
  );
}
