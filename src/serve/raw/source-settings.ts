import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Where } from '../../config/environment.js';
import { acceptedStatus, type SourceSection } from '../../config/schema.js';
import { UsageError } from '../../errors.js';
import { parseRespondRule } from '../../receive/rules/respond-rule.js';
import { schemeNamed } from '../../sign/schemes/index.js';
import type { Scheme } from '../../sign/schemes/scheme.js';
import { isPathOfService } from '../collect/service-paths.js';
import { verificationOf } from './receiver.js';
import type { RawResponses, RawSource } from './source.js';

/** Where a source is in the configuration file. */
export interface SourcePlace {
  readonly name: string;
  readonly where: Where;
  /** The configuration file. */
  readonly file: string;
}

/**
 * The settings of a source of `type: raw`.
 *
 * @param section whose values are expanded
 * @param own the schemes of the configuration file
 * @throws UsageError with file, line and key path; secrets are never shown
 */
export function rawSourceOf(
  section: SourceSection,
  { name, where, file }: SourcePlace,
  own: readonly Scheme[],
): RawSource {
  const at = (...keys: PropertyKey[]): string => where(['sources', name, ...keys]);
  const secrets = section.secret === undefined ? [] : [section.secret].flat();
  if (section.enforce === true && secrets.length === 0) {
    throw new UsageError(`${at('enforce')} needs a secret; add it, or leave enforce out`);
  }
  const source: RawSource = {
    path: pathOf(section, name, at),
    scheme: schemeOf(section, own, at),
    secrets,
    enforce: section.enforce ?? secrets.length > 0,
    own,
    respond: responsesOf(section, file, at),
  };
  verificationOf(source, at('secret'));
  return source;
}

/** Paths that two sources have. @throws UsageError that names them */
export function checkRawPaths(
  sources: readonly { readonly name: string; readonly raw?: RawSource }[],
  where: Where,
): void {
  const owners = new Map<string, string>();
  for (const { name, raw } of sources) {
    if (!raw) continue;
    const owner = owners.get(raw.path);
    if (owner !== undefined) {
      throw new UsageError(
        `${where(['sources', name, 'path'])} ${raw.path} is already used by the source "${owner}"; use a different path for each source`,
      );
    }
    owners.set(raw.path, name);
  }
}

type At = (...keys: PropertyKey[]) => string;

const pathForm = /^\/[\x21-\x7e]*$/;

function pathOf({ path }: SourceSection, name: string, at: At): string {
  const chosen = path ?? `/in/${name}`;
  const isForm = pathForm.test(chosen) && !/[?#]/.test(chosen);
  const star = chosen.indexOf('*');
  if (!isForm || (star >= 0 && (star !== chosen.length - 1 || !chosen.endsWith('/*')))) {
    const what = path === undefined ? `is needed, since "${name}" makes no path` : 'is not a path';
    throw new UsageError(
      `${at('path')} ${what}; write it as it is in a URL, like /in/github, or /in/github/* for all below it`,
    );
  }
  const isOwn = isPathOfService(chosen.replace(/\*$/, '')) || isPathOfService(chosen);
  if (chosen !== '/*' && isOwn) {
    throw new UsageError(
      `${at('path')} ${chosen} is a path of the service itself; choose another one, like /in/${name}`,
    );
  }
  return chosen;
}

function schemeOf(
  { scheme = 'auto' }: SourceSection,
  own: readonly Scheme[],
  at: At,
): RawSource['scheme'] {
  return scheme === 'auto' ? 'auto' : schemeNamed(scheme, own, at('scheme'));
}

function responsesOf({ respond }: SourceSection, file: string, at: At): RawResponses {
  if (!Array.isArray(respond)) {
    return { status: respond?.status ?? 200, texts: [], rules: [] };
  }
  const rules = respond.map((text, index) => {
    const where = at('respond', index);
    const rule = parseRespondRule(text, (path) => bodyFile(path, file, where), where);
    if (rule.status > 299) throw new UsageError(`${where}: status ${acceptedStatus}`);
    return rule;
  });
  return { status: 200, texts: respond, rules };
}

function bodyFile(path: string, file: string, where: string): Buffer {
  try {
    return readFileSync(resolve(dirname(file), path));
  } catch (cause) {
    throw new UsageError(
      `${where}: the file of its body cannot be read; use the path of a readable file`,
      'unreadable_file',
      { cause },
    );
  }
}
