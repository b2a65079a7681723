import type { Command, CommanderError } from 'commander';
import { similar } from '../../nearest.js';
import { isQuotable } from '../../quoted.js';

/**
 * Explains a command line error on one line with the next step. Commander's own message repeats values,
 * and a mistyped flag may carry a secret.
 *
 * @param command The called command, or the program itself.
 */
export function usageMessage({ code, message }: CommanderError, command: Command): string {
  const text = message.replace(/^error: /, '');
  const next = `see ${pathOf(command)} --help`;
  if (code === 'commander.invalidArgument') return invalidValue(text) ?? `wrong value; ${next}`;
  const explain = explanations[code];
  return `${explain ? explain(text, command) : text.split('\n', 1)[0]!}; ${next}`;
}

const explanations: Readonly<Record<string, (text: string, command: Command) => string>> = {
  'commander.unknownOption': unknownOption,
  'commander.unknownCommand': (_, { args, commands }) => unknownCommand(args[0]!, commands),
  // `evfwd help <command>` with an unknown command.
  'commander.help': (_, { args, commands }) => unknownCommand(args[1] ?? '', commands),
  'commander.excessArguments': tooManyArguments,
};

/** `evfwd audience sync`. */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function unknownOption(text: string, command: Command): string {
  const [, typed = ''] = /'(-{1,2}[\w-]*)/.exec(text) ?? [];
  const known = command.options.flatMap(({ long }) => long ?? []).concat('--help');
  const named = command.options.find(({ long }) => long === typed);
  if (named && !named.required) return `option '${typed}' takes no value`;
  const flag = typed.startsWith('--') ? longFlag(typed, known) : shortFlag(typed, known);
  const near = similar(flag.meant, known);
  const advice = near === undefined ? elsewhere(command) : ` (Did you mean ${near}?)`;
  return `unknown option '${flag.shown}'${advice}`;
}

function elsewhere({ parent }: Command): string {
  return parent ? '' : ' (put flags after the command)';
}

interface Flag {
  /** The printed form. */
  readonly shown: string;
  /** The form that is compared with the known flags. */
  readonly meant: string;
}

/** Hides a value without a separating space, as in `--secrethunter2`. */
function longFlag(typed: string, known: readonly string[]): Flag {
  const begin = known.find((name) => typed.startsWith(name));
  return begin === undefined
    ? { shown: typed, meant: typed }
    : { shown: `${begin}…`, meant: begin };
}

/** `-secret` lacks a dash; in `-xhunter2` a value follows the letter. */
function shortFlag(typed: string, known: readonly string[]): Flag {
  const long = `-${typed}`;
  return known.includes(long)
    ? { shown: typed, meant: long }
    : { shown: typed.slice(0, 2), meant: typed.slice(0, 2) };
}

function unknownCommand(typed: string, commands: readonly Command[]): string {
  const names = commands.flatMap((command) => [command.name(), ...command.aliases()]);
  const near = similar(typed, names);
  const advice = near === undefined ? '' : ` (Did you mean ${near}?)`;
  return `unknown command${isQuotable(typed) ? ` '${typed}'` : ''}${advice}`;
}

function tooManyArguments(text: string): string {
  const [, expected, found] = /Expected (\d+) arguments? but got (\d+)/.exec(text) ?? [];
  return `too many arguments: expected ${expected!}, got ${found!}; quote a value that has spaces`;
}

/** Strips commander's frame: our parsers explain the error and the fix. */
function invalidValue(text: string): string | undefined {
  const [, flag, reason] =
    /^option '(?:-\w, )?(--[\w-]+).*?' argument .* is invalid\. (.*?)\.?$/s.exec(text) ?? [];
  return flag && `${flag}: ${reason!}`;
}
