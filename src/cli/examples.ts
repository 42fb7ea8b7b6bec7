import type { Command } from 'commander';

type Example = readonly [line: string, what: string];

const EXAMPLES = new WeakMap<Command, readonly Example[]>();

/** Examples stand under the options in `--help` and in docs/cli.md. */
export function withExamples(command: Command, ...examples: readonly Example[]): Command {
  EXAMPLES.set(command, examples);
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, what]) => `  ${line.padEnd(width)}  ${what}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

export const examplesOf = (command: Command): readonly Example[] => EXAMPLES.get(command) ?? [];
