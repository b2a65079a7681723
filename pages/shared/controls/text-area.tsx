interface TextAreaProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  /** Lines in sight. */
  readonly rows: number;
  /** What the text has to look like. */
  readonly note?: string | undefined;
  readonly onText: (text: string) => void;
}

/** A labeled field for several lines of text. */
export function TextArea({ label, note, onText, ...area }: TextAreaProps) {
  const noteId = `${area.name}-note`;
  return (
    <label class="field">
      <span>
        {label}
        {note !== undefined && (
          <span class="quiet" id={noteId}>
            {' '}
            {note}
          </span>
        )}
      </span>
      <textarea
        {...area}
        class="mono"
        autocomplete="off"
        spellcheck={false}
        aria-label={label}
        aria-describedby={note === undefined ? undefined : noteId}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    </label>
  );
}
