import type { CommandEntry } from './shared/command.js';

/** Every command, in the order of `--help`. A command is a file here and one row. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'send',
    summary: 'send one event, built from flags, a fixture or a file',
    load: () => import('./send/command.js'),
  },
  {
    name: 'import',
    summary: 'send the events of files: historical backfill and replay',
    load: () => import('./import/command.js'),
  },
  {
    name: 'verify-sig',
    alias: 'verify',
    summary: 'check the X-Signature of a body; made for CI',
    load: () => import('./verify-sig/command.js'),
  },
  {
    name: 'sign',
    summary: 'print the signature of a body',
    load: () => import('./sign/command.js'),
  },
  {
    name: 'validate',
    summary: 'list every problem of event files by line; sends nothing',
    load: () => import('./validate/command.js'),
  },
  {
    name: 'listen',
    summary: 'receive webhooks here: show, verify, record, misbehave on request',
    load: () => import('./listen/command.js'),
  },
  {
    name: 'audience',
    summary: 'tell who joined or left a list, or has a new value: only the changes',
    load: () => import('./audience/command.js'),
  },
  {
    name: 'serve',
    summary: 'the forwarding service: collection API in, signed webhooks out',
    load: () => import('./serve/command.js'),
  },
  {
    name: 'report',
    summary: 'summarise attempt logs: text, --json, --html',
    load: () => import('./report/command.js'),
  },
  {
    name: 'fixtures',
    summary: 'list the built-in events, or print one',
    load: () => import('./fixtures/command.js'),
  },
  {
    name: 'completion',
    summary: 'print a completion script for bash, zsh or fish',
    load: () => import('./completion/command.js'),
  },
  {
    name: 'demo',
    summary: 'see it all at work on this machine, nothing to configure',
    load: () => import('./demo/command.js'),
  },
];
