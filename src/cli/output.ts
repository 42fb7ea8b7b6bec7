import { type Command, Option } from 'commander';

const FORMATS = ['json', 'yaml', 'table', 'wide'] as const;
export type Format = (typeof FORMATS)[number];

/** The output is data for a program: errors are then printed as the problem object. */
export const isData = (form: Format | 'text') => form === 'json' || form === 'yaml';

export interface OutputOptions {
  readonly output: Format;
}

/** Adds `-o json|yaml|table|wide` to every command that prints a result. */
export function withOutput(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <form>', 'the format').choices([...FORMATS]).default('table'),
  );
}

/** Data goes to standard output whole; text only where a person reads. */
export async function printed(
  format: Format,
  value: unknown,
  words: (wide: boolean) => string,
): Promise<string> {
  if (format === 'json') return JSON.stringify(value);
  if (format === 'yaml') return (await import('./yaml.ts')).stringify(value).trimEnd();
  return words(format === 'wide');
}

export async function print(format: Format, value: unknown, words: (wide: boolean) => string): Promise<void> {
  const text = await printed(format, value, words);
  if (text !== '') console.log(text);
}

/** Ends the program in silence when the reader of its output stops reading (`| head`): that is no error of ours. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}
