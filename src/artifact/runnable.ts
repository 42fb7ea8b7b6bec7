import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** The result of a search for a program by its name. */
type FoundProgram = 'found' | 'forbidden' | 'missing';

/** Searches as execvp does: a name with a slash from the working directory, any other along the path. */
export function findProgram(program: string, dir: string, path: string): FoundProgram {
  const places = program.includes('/')
    ? [isAbsolute(program) ? program : join(dir, program)]
    : path.split(delimiter).map((at) => join(at === '' ? dir : at, program));
  const found = places.map(lookAt);
  return found.find((one) => one === 'found') ?? found.find((one) => one === 'forbidden') ?? 'missing';
}

function lookAt(place: string): FoundProgram {
  try {
    if (!statSync(place).isFile()) return 'missing';
  } catch {
    // Not there, or in a folder that we may not enter: the machine has none for us.
    return 'missing';
  }
  try {
    accessSync(place, constants.X_OK);
    return 'found';
  } catch {
    return 'forbidden';
  }
}
