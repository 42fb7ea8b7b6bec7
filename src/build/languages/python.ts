import type { FolderContents } from '../folder-contents.ts';
import type { Install, Part, RecipeStep } from '../recipe.ts';

/** The machine's interpreter. The launcher sets the path on which it finds the environment. */
const PYTHON = 'python3';
export const VENV = '.venv';

const MAINS = ['main.py', 'app.py', 'server.py'];

/** `requirements.txt` or `pyproject.toml`: a virtual environment, if there is anything to install. */
export function python(contents: FolderContents): Part | null {
  const requirements = contents.text('requirements.txt');
  const project = contents.text('pyproject.toml');
  if (requirements === null && project === null) return null;
  const main = MAINS.find((file) => contents.files.has(file));
  return {
    what: `Python (${requirements === null ? 'pyproject.toml' : 'requirements.txt'})`,
    installs: [...installsOf(requirements, project)],
    builds: [],
    start: main === undefined ? null : { kind: 'command', command: [PYTHON, main] },
  };
}

function* installsOf(requirements: string | null, project: string | null): Generator<Install> {
  const wanted = (requirements ?? '')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
  if (wanted.length > 0) {
    // Only requirements that pin each version install the same tomorrow.
    const pinned = wanted.every((line) =>
      /^[\w.[\],-]+\s*==\s*[\w.+!-]+(?:\s*;.*)?(?:\s+--hash=\S+)*\s*\\?$/.test(line),
    );
    yield {
      steps: [venv, pip('-r', 'requirements.txt')],
      cache: pinned ? { folder: VENV, keys: ['requirements.txt'] } : null,
    };
  } else if (project !== null && /^\s*\[(?:project|build-system|tool\.poetry)\]/m.test(project)) {
    yield { steps: [venv, pip('.')], cache: null };
  }
}

const venv: RecipeStep = {
  name: `${PYTHON} -m venv`,
  argv: [PYTHON, '-m', 'venv', '--clear', VENV],
  failure: 'dependencies_failed',
};

/** Compiled files contain the time and place of their source, so the app compiles its own where it runs. */
const pip = (...what: string[]): RecipeStep => ({
  name: `pip install ${what.join(' ')}`,
  argv: [`${VENV}/bin/python`, '-m', 'pip', 'install', '--no-input', '--no-compile', ...what],
  failure: 'dependencies_failed',
});
