import type { ComponentChildren } from 'preact';

interface EmptyPageProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** Shown in place of the list until something has arrived: what to run first. */
export function EmptyPage({ title, children }: EmptyPageProps) {
  return (
    <section class="empty" aria-labelledby="empty-title">
      <h2 id="empty-title">{title}</h2>
      {children}
    </section>
  );
}
