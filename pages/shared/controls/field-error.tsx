interface FieldErrorProps {
  readonly error: string | undefined;
  readonly id?: string;
}

/** Why an input or an action failed; nothing when it did not. */
export function FieldError({ error, id }: FieldErrorProps) {
  if (error === undefined) return null;
  return (
    <p class="field-error" id={id} role="alert">
      {error}
    </p>
  );
}
