import { expect, it } from 'vitest';
import { BadCommandLine, commandWords, variablesIn } from './command-line.ts';

const env: Record<string, string> = { PORT: '3000', NAME: 'two words' };
const words = (line: string) => commandWords(line, (name) => env[name] ?? '');

it.each([
  ['node server.js', ['node', 'server.js']],
  ['  node   server.js  ', ['node', 'server.js']],
  ['node "a b" \'c d\'', ['node', 'a b', 'c d']],
  ['node a" b"c', ['node', 'a bc']],
  ['node ""', ['node', '']],
  ['run --port=$PORT', ['run', '--port=3000']],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a command
  ['run ${PORT}x "$PORT" \'$PORT\'', ['run', '3000x', '3000', '$PORT']],
  ['run $NAME', ['run', 'two words']],
  ['run $UNSET', ['run', '']],
  ['run \\$PORT a\\ b', ['run', '$PORT', 'a b']],
  ['run "a\\"b\\n"', ['run', 'a"b\\n']],
  ['run $ $1', ['run', '$', '$1']],
])('splits %s', (line, expected) => {
  expect(words(line)).toEqual(expected);
});

it.each(['node "a', "node 'a", 'node \\'])('refuses %s', (line) => {
  expect(() => words(line)).toThrow(BadCommandLine);
});

it('names the variables that would be put into arguments', () => {
  expect(variablesIn('run "$A" \'$B\' $C$D')).toEqual(['A', 'C', 'D']);
});
