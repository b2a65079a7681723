/** Why an action failed; nothing when it did not. */
export function ActionError({ error }: { readonly error: string | undefined }) {
  if (error === undefined) return null;
  return (
    <p class="field-error" role="alert">
      {error}
    </p>
  );
}
