import type { Command, CommanderError } from 'commander';
import { similar } from '../../nearest.js';
import { isQuotable } from '../../quoted.js';
import { flagOptionsOf } from '../flags/flag.js';
import { unknownFlag } from './unknown-flag.js';

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
  return `${explain ? explain(text, command) : 'wrong command line'}; ${next}`;
}

/** @param names What can be meant: commands and their aliases. */
export function unknownCommandMessage(typed: string, names: readonly string[]): string {
  const near = similar(typed, names);
  const advice = near === undefined ? '' : ` (Did you mean ${near}?)`;
  const shown = isQuotable(typed) ? ` '${typed}'` : '';
  return `unknown command${shown}${advice}; see evfwd --help`;
}

const explanations: Readonly<Record<string, (text: string, command: Command) => string>> = {
  'commander.unknownOption': unknownFlag,
  'commander.excessArguments': unexpectedArgument,
  'commander.missingArgument': missingArgument,
  'commander.optionMissingArgument': missingValue,
};

/** `evfwd audience sync`. */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** Names the first surplus argument, unless it may be the rest of a secret that lacks its quotes. */
function unexpectedArgument(_: string, command: Command): string {
  const { args, registeredArguments } = command;
  const surplus = args[registeredArguments.length] ?? '';
  const name = isQuotable(surplus) && !hasSecret(command) ? ` "${surplus}"` : '';
  const [only] = registeredArguments;
  const expected = only ? `takes one argument, <${only.name()}>` : 'takes no arguments';
  const fix = 'leave it out, or put a value that has spaces in quotes';
  return `unexpected argument${name}: ${pathOf(command)} ${expected}; ${fix}`;
}

function hasSecret(command: Command): boolean {
  return flagOptionsOf(command).some(
    (option) =>
      (option.flag.secret === 'value' || option.flag.secret === 'header') &&
      command.getOptionValue(option.attributeName()) !== undefined,
  );
}

function missingArgument(text: string, { registeredArguments }: Command): string {
  const [, name = ''] = /'([\w-]+)'/.exec(text) ?? [];
  const { description = '' } = registeredArguments.find((each) => each.name() === name) ?? {};
  return `<${name}> is missing: ${description}`;
}

function missingValue(text: string): string {
  const [, flag = '', value = ''] = /(--[\w-]+) (<[^>]+>)/.exec(text) ?? [];
  return `${flag} has no value; use ${flag} ${value}`;
}

/** Strips commander's frame: our parsers explain the error and the fix. */
function invalidValue(text: string): string | undefined {
  const [, flag, reason] =
    /^option '(?:-\w, )?(--[\w-]+).*?' argument .* is invalid\. (.*?)\.?$/s.exec(text) ?? [];
  return flag && `${flag}: ${reason!}`;
}
