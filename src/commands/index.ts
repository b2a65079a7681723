import type { CommandEntry } from './shared/command.js';

/** Every command, in the order of `--help`. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'init',
    summary: 'write a commented configuration file to start with',
    load: () => import('./init/command.js'),
  },
  {
    name: 'send',
    summary: 'send one event, built from flags, a fixture or a file',
    load: () => import('./send/command.js'),
  },
  {
    name: 'import',
    summary: 'send events from files: historical backfill and replay',
    load: () => import('./import/command.js'),
  },
  {
    name: 'replay',
    summary: 'send recorded requests again: method, path, headers, exact bytes',
    load: () => import('./replay/command.js'),
  },
  {
    name: 'worker',
    summary: 'send events of shared imports from this machine, beside other workers',
    load: () => import('./worker/command.js'),
  },
  {
    name: 'runs',
    summary:
      'list and remove the runs of a folder; list, show, pause, resume, cancel and verify those of a store',
    load: () => import('./runs/command.js'),
  },
  {
    name: 'verify-sig',
    alias: 'verify',
    summary: 'verify the signature of a webhook; made for CI',
    load: () => import('./verify-sig/command.js'),
  },
  {
    name: 'sign',
    summary: 'print the signature of a body',
    load: () => import('./sign/command.js'),
  },
  {
    name: 'validate',
    summary: 'check event files and list every problem by line; sends nothing',
    load: () => import('./validate/command.js'),
  },
  {
    name: 'listen',
    summary: 'receive webhooks locally: show, verify, record, inject faults',
    load: () => import('./listen/command.js'),
  },
  {
    name: 'check',
    summary: 'check whether an endpoint is a good receiver of webhooks',
    load: () => import('./check/command.js'),
  },
  {
    name: 'audience',
    summary: 'sync an audience list or trait values as identify events, sending only changes',
    load: () => import('./audience/command.js'),
  },
  {
    name: 'serve',
    summary: 'run the forwarding service: collection API in, signed webhooks out',
    load: () => import('./serve/command.js'),
  },
  {
    name: 'export',
    summary: 'write the events and requests that serve keeps, for import and replay',
    load: () => import('./export/command.js'),
  },
  {
    name: 'report',
    summary: 'summarize attempt logs as text, JSON or HTML',
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
    summary: 'run a demo on this machine; nothing to configure',
    load: () => import('./demo/command.js'),
  },
];

/** What the scripts of `completion` call; in no list. */
export const candidatesCommand: CommandEntry = {
  name: '__complete',
  summary: 'print what can complete a command line',
  load: () => import('./completion/candidates.js'),
};
