import type { ComponentChildren, ComponentProps } from 'preact';

/** A checkbox or radio button with its label. */
export function Choice({
  children,
  ...input
}: ComponentProps<'input'> & { readonly children: ComponentChildren }) {
  return (
    <label class="choice">
      <input {...input} />
      <span>{children}</span>
    </label>
  );
}
