/** One line for an error: text for people, JSON with `--json`. */
export function errorLine(
  { code, message }: { readonly code: string; readonly message: string },
  argv: readonly string[],
): string {
  return argv.includes('--json')
    ? JSON.stringify({ error: { code, message } })
    : `evfwd: ${message}`;
}
