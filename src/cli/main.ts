import { Refusal } from '../contract/refusal.ts';
import { buildProgram } from './program.ts';

const program = buildProgram();

// Every user of the machine, and every app on it, may read the command line of a process: a token does not stay there.
if (process.argv.some((word) => word.startsWith('--token'))) process.title = 'evident';

/** A script that reads problem objects gets one for a usage error too. */
const wantsJson = /(^| )(-o ?|--output[= ])(json|yaml)( |$)/.test(process.argv.slice(2).join(' '));

// Usage errors exit with 2, so that a script can tell them from a command that ran and failed. Settings of
// the root are inherited only by commands created later, so each existing command is configured by itself.
const configure = (command: typeof program): void => {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  if (wantsJson) command.configureOutput({ outputError: (text) => process.stderr.write(usageProblem(text)) });
  else command.showHelpAfterError(`Usage: ${pathOf(command)} --help`);
  command.commands.forEach(configure);
};
configure(program);

function pathOf(command: typeof program): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function usageProblem(text: string): string {
  const detail = text.trim().replace(/^error: /, '');
  const type = 'urn:evident:problem:usage';
  return `${JSON.stringify({ type, title: 'The command is not understood', detail, code: 'usage' })}\n`;
}

/** Commands that only describe the program start without the model check. */
const QUICK = new Set(['version', 'model', 'completion', 'complete', 'reference', 'inspect', 'router']);

// An incomplete model does not start.
program.hook('preAction', async (_, command) => {
  if (!QUICK.has(command.name())) (await import('../model/verify-model.ts')).assertModel();
});

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
