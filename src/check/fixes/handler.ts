import { readFixFile, snippetCode, type SnippetName } from '../fix-files.js';
import { type Framework, type Language, languageOf, flagNameOf } from './frameworks.js';
import { importBlock, importsHere, withoutImports } from './imports.js';
import type { FixInput } from './input.js';
import { escaped, isListIndex, pathExpression } from './language.js';
import { filledFile, type Filling } from './template.js';
import { verificationOf } from './verification.js';

const extensions: Readonly<Record<Language, string>> = {
  js: 'js',
  python: 'py',
  go: 'go',
  ruby: 'rb',
  php: 'php',
};

/** The code of a fix, as it is shown and pasted: a snippet, or else a whole handler. */
export function fixCode(
  snippet: SnippetName | undefined,
  framework: Framework,
  input: FixInput,
): string {
  return snippet === undefined ? handlerCode(framework, input) : snippetCode(snippet, framework);
}

/** A complete handler for events of this kind, as a file to paste. */
export function handlerCode(framework: Framework, input: FixInput): string {
  const language = languageOf(framework);
  const extension = extensions[language];
  const verification = verificationOf(input, language);
  const shape = input.scheme.special ?? 'signature';
  const verify = withoutImports(
    language,
    filledFile(readFixFile(`verify/${shape}.${extension}`), verification),
  );
  const code = verify.code.replace(`${importsHere}\n`, '').trim();
  const handler = withoutImports(
    language,
    filledFile(readFixFile(`${flagNameOf(framework)}.${extension}`), {
      texts: { ...eventIdTexts(input, language), verify: code },
      conditions: { ...verification.conditions, ...conditionsOf(input) },
    }),
  );
  const imports = importBlock(language, [...handler.imports, ...verify.imports]);
  const whole = handler.code.includes(importsHere)
    ? handler.code.replace(importsHere, () => imports)
    : `${imports}\n\n${handler.code.trimStart()}`;
  return whole.replace(/\n{4,}/g, '\n\n\n').trimEnd();
}

function conditionsOf({ id, isBatch, hasForms, handshake }: FixInput): Filling['conditions'] {
  return {
    idHeaderOfEvent: 'header' in id,
    idPathOfEvent: 'path' in id,
    idInList: 'path' in id && id.path.some(isListIndex),
    batch: isBatch,
    hasForms,
    challenge: handshake === 'challenge',
    zoom: handshake === 'zoom',
  };
}

function eventIdTexts({ id }: FixInput, language: Language): Filling['texts'] {
  if ('header' in id) {
    const header = escaped(language, id.header);
    return { eventIdHeader: header, eventId: `header('${header}')` };
  }
  return { eventIdPath: pathExpression(language, id.path), eventId: accessTo(id.path) };
}

/** `event?.data?.id`, in JavaScript. */
function accessTo(path: readonly string[]): string {
  const members = path.map((name) =>
    /^[A-Za-z_]\w*$/.test(name) ? `?.${name}` : `?.['${escaped('js', name)}']`,
  );
  return `event${members.join('')}`;
}
