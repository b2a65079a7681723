/** How stack traces look, by language; also in HTML and in JSON, where lines are joined. */
const forms: readonly RegExp[] = [
  // JavaScript: `at f (/app/hook.js:12:3)`, `at node:events:518:28`; Rust: `panicked at src/main.rs:12:5`
  /\bat (?:async )?(?:[^\n()]{1,120}\()?[^\s()]{0,200}(?:[./\\]|node:)[^\s()]{0,200}:\d+:\d+/,
  // Python
  /\bTraceback\b/,
  // Go
  /\bgoroutine \d+ \[/,
  /\.go:\d+ \+0x[\da-f]/,
  // Java, Kotlin, Scala
  /\bat [\w.$<>/]{1,200}\((?:\w+\.(?:java|kt|scala|groovy):\d+|Native Method|Unknown Source)\)/,
  // .NET
  /\.(?:cs|vb|fs):line \d+/,
  // Ruby: `app/hooks.rb:12:in`
  /\.rb:\d+:in\b/,
  // PHP: `#0 /srv/hook.php(12): f()`, `in /srv/hook.php on line 12`, `/srv/hook.php:12`; Laravel in JSON
  /#\d+ \S{1,200}\.php\(\d+\)/,
  /\.php(?:<\/b>)? on line (?:<b>)?\d/,
  /\.php:\d+/,
  /\.php",\s*"line":\s*\d/,
];

/** Whether a text has a stack trace in it. */
export function hasStackTrace(text: string): boolean {
  return forms.some((form) => form.test(text));
}
