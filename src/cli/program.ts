import { Argument, Command, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { withExamples } from './examples.ts';
import { type OutputOptions, print, withOutput } from './output.ts';
import { addPeople } from './people-program.ts';
import { addPlatform } from './platform-program.ts';
import { SHELLS } from './shells.ts';

/**
 * The whole command line as data. The runner, the documentation and the shell completion read the same tree.
 */
export function buildProgram(): Command {
  const program = new Command('evident').description(manifest.description).version(manifest.version);
  program.showSuggestionAfterError();
  addPeople(program);
  program.commandsGroup('Run the platform:');
  addPlatform(program);
  program.commandsGroup('This command line:');
  withExamples(
    program
      .command('completion')
      .description('print a script that completes commands, options and services in a shell')
      .addArgument(new Argument('<shell>', 'which shell').choices([...SHELLS]))
      .action(async (shell) => (await import('./completion.ts')).printCompletion(shell)),
    ['source <(evident completion bash)', 'in ~/.bashrc'],
    ['evident completion zsh > ~/.zfunc/_evident', 'once, with ~/.zfunc in fpath'],
    ['evident completion fish > ~/.config/fish/completions/evident.fish', 'once'],
  );
  withExamples(
    withOutput(program.command('version'))
      .description('print the version')
      .action(({ output }: OutputOptions) =>
        print(output, { version: manifest.version, node: process.version }, () => manifest.version),
      ),
    ['evident version', ''],
    ['evident version -o json', 'for scripts, with the version of Node'],
  );
  program
    .command('complete', { hidden: true })
    .description('what could stand next; the scripts of `completion` ask it')
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: string[]) => (await import('./completion.ts')).complete(program, words));
  program
    .command('reference', { hidden: true })
    .description('the pages docs/cli.md and docs/deploying.md, made from code')
    .option('--check', 'check that it is up to date')
    .addOption(new Option('--write-page', 'write it'))
    .action(async (options) => (await import('./reference.ts')).runReference(program, options));
  return program;
}
