// Turns what a command prints into an SVG for the docs:
//   FORCE_COLOR=1 node bin/evfwd.js demo | node scripts/terminal-picture.js 'evfwd demo' > docs/demo.svg
import { text } from 'node:stream/consumers';
import { prompt, terminal, textLine, withoutColors } from './terminal-svg.js';

const lines = [prompt(process.argv[2]), ...(await text(process.stdin)).trimEnd().split('\n')];
const columns = Math.max(...lines.map((line) => withoutColors(line).length));
const content = lines.map((line, i) => textLine(line, i)).join('\n');
process.stdout.write(terminal({ lines: lines.length, columns, content }));
