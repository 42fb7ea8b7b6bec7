import type { Command } from 'commander';
import { deployingPage } from './deploying-page.ts';
import { examplesOf } from './examples.ts';
import { pageProblem, ROOT, writePage } from './generated-page.ts';
import { reasonsPage } from './inspect/reasons-page.ts';

/** Pages generated from code: the tree of commands, the schema of a spec, the reasons of verdicts. */
const PAGES: Readonly<Record<string, (program: Command) => string>> = {
  'docs/cli.md': referencePage,
  'docs/deploying.md': deployingPage,
  'docs/kubernetes-reasons.md': reasonsPage,
};

/** `npm run docs` writes them, `npm run check` compares them. */
export function runReference(
  program: Command,
  options: { readonly check?: boolean; readonly writePage?: boolean },
): void {
  const pages = Object.entries(PAGES).map(([name, make]) => ({ name, text: make(program) }));
  if (options.writePage) for (const { name, text } of pages) writePage(name, text);
  else if (options.check) {
    const problems = pages.flatMap(({ name, text }) => pageProblem(ROOT, name, text));
    console.log(problems.length === 0 ? `${Object.keys(PAGES).join(', ')} are fresh.` : problems.join('\n'));
    process.exitCode = problems.length === 0 ? 0 : 1;
  } else for (const { text } of pages) console.log(text);
}

function referencePage(program: Command): string {
  return [
    '# The command line',
    '<!-- Generated from the commands in src/cli by `npm run docs`. Do not edit. -->',
    'Server and token come from one place: both by `--server` and `--token`, else both by `EVIDENT_SERVER` and `EVIDENT_TOKEN`, else both from a context (`--context`, `EVIDENT_CONTEXT`, else the current one; `evident login` makes them), else both from one data directory (the nearest `.evident` folder upwards that you own, else `~/.evident`). `EVIDENT_DATA` names a data directory and goes before the current context. A server named alone gets the token of the context or data directory whose server it is, and no other. Contexts are kept in `~/.config/evident/contexts.json` (`XDG_CONFIG_HOME`), which only you may read. Nothing is read from a folder that another user owns or may write.',
    EXIT_CODES,
    'Results go to standard output; errors go to standard error, with `-o json` as the problem object. On a terminal, what waits draws the proof line live; in a pipe it prints one line for each change. Nothing asks without a terminal. Ctrl-C ends the looking, never the work.',
    ...leaves(program).map(section),
    '',
  ].join('\n\n');
}

const EXIT_CODES = `## Exit codes

| code | of \`deploy\`, \`rollback\`, \`retry\`, \`restart\`, \`scale\`, \`teardown\` and \`watch\` |
| --- | --- |
| 0 | it came true: running, or stopped where that was requested; with \`--detach\`: accepted |
| 1 | it failed |
| 2 | wrong usage, or refused by the server |
| 3 | unknown or abandoned |
| 4 | cancelled or superseded |
| 5 | the server cannot be reached |
| 130 | Ctrl-C; the work goes on |

Everything else that asks a server is 0 with an answer, 2 if it is refused and 5 if nobody answers. \`inspect\` is 0 if every object is ready, suspended or stopped, 1 if one is not, 2 if a part of the input cannot be read, and 5 if the cluster does not answer.`;

function leaves(command: Command): Command[] {
  const visible = command
    .createHelp()
    .visibleCommands(command)
    .filter((c) => c.name() !== 'help');
  if (visible.length === 0) return [command];
  // A group with examples is a command of its own: `agent`, and `agent install`.
  return [...(examplesOf(command).length > 0 ? [command] : []), ...visible.flatMap(leaves)];
}

function section(command: Command): string {
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  const examples = examplesOf(command);
  return [
    `## \`${help.commandUsage(command).replace(/ \[options\]/, '')}\``,
    `${sentence(command.description())}`,
    ...(options.length === 0
      ? []
      : [
          [
            '| option | |',
            '| --- | --- |',
            ...options.map((o) => `| \`${o.flags}\` | ${help.optionDescription(o).replaceAll('|', '\\|')} |`),
          ].join('\n'),
        ]),
    ...(examples.length === 0
      ? []
      : [
          [
            '```sh',
            ...examples.map(([line, what]) => (what === '' ? line : `${line}    # ${what}`)),
            '```',
          ].join('\n'),
        ]),
  ].join('\n\n');
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
