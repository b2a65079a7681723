import { escapeHtml } from './escape.js';

/** No scripts, and nothing is loaded. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** A self-contained page without scripts. `title` is text; `style` and `body` are inserted as they are. */
export function documentHtml(title: string, style: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}
