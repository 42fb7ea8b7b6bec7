import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { examplesOf } from './examples.ts';
import { buildProgram } from './program.ts';

function leaves(command: Command): Command[] {
  const visible = command
    .createHelp()
    .visibleCommands(command)
    .filter((c) => c.name() !== 'help');
  return visible.length === 0 ? [command] : visible.flatMap(leaves);
}
const nameOf = (command: Command): string =>
  command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

const ALL = leaves(buildProgram());

describe('agent install', () => {
  const install = ALL.find((command) => nameOf(command) === 'agent install');

  it('lists what it takes from agent, and nothing that it ignores', () => {
    const help = install?.helpInformation() ?? '';
    for (const option of ['--target', '--namespace', '--default-namespace', '--server', '--image'])
      expect(help).toContain(option);
    expect(help).not.toContain('--router-port');
  });
});

describe('every command', () => {
  it.each(ALL.map((command) => [nameOf(command), command] as const))(
    '%s has examples that are commands of this program',
    (name, command) => {
      const examples = examplesOf(command);
      expect(examples.length, name).toBeGreaterThan(0);
      for (const [line] of examples) expect(line).toContain(`evident ${name.split(' ')[0]}`);
      expect(command.description()).not.toBe('');
    },
  );

  it('has no option whose value may be left out by the way it is written', () => {
    // commander reads a bracket anywhere in the flags as "the value is optional".
    for (const command of ALL)
      for (const option of command.options)
        expect([option.flags, option.required && option.optional]).toEqual([option.flags, false]);
  });
});
