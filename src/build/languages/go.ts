import type { FolderContents } from '../folder-contents.ts';
import { BuildFailure, type Part } from '../recipe.ts';

const GO_BINARY = '.evident/app';

/** `go.mod`: one static program, the same bytes from the same source. */
export function go(contents: FolderContents): Part | null {
  if (!contents.files.has('go.mod')) return null;
  const main = mainPackage(contents);
  const argv = ['go', 'build', '-trimpath', '-buildvcs=false', '-o', GO_BINARY, main];
  return {
    what: `Go (go.mod, package ${main})`,
    installs: [],
    builds: [{ name: `go build ${main}`, argv, failure: 'build_command_failed' }],
    start: { kind: 'command', command: [`./${GO_BINARY}`] },
  };
}

/** The package at the top, else the only one under cmd/, else the one under cmd/ with the module's name. */
function mainPackage(contents: FolderContents): string {
  const files = [...contents.files].filter((file) => file.endsWith('.go') && !file.endsWith('_test.go'));
  if (files.some((file) => !file.includes('/'))) return '.';
  const commands = [...new Set(files.flatMap((file) => /^cmd\/([^/]+)\//.exec(file)?.[1] ?? []))].sort();
  const module = /^module\s+(\S+)/m
    .exec(contents.text('go.mod') ?? '')?.[1]
    ?.split('/')
    .at(-1);
  const chosen = commands.length === 1 ? commands[0] : commands.find((name) => name === module);
  if (chosen !== undefined) return `./cmd/${chosen}`;
  throw new BuildFailure(
    'no_start_command',
    commands.length === 0
      ? 'There is a go.mod, but no Go file at the top and none in a folder under cmd/.'
      : `There are several programs under cmd/ (${commands.join(', ')}): name one with \`build\` and \`command\`.`,
  );
}
