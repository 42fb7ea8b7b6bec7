import { similarName } from '../../contract/presentation/similar-name.ts';
import { UsageError } from '../print-problem.ts';
import type { EvidentFile, EvidentService } from './evident-file.ts';

/** Options that say something of one service; with several, which one must be said. */
interface OptionsOfOne {
  readonly service?: string;
  readonly image?: string;
  readonly artifact?: string;
  readonly observe?: boolean;
  readonly root?: string;
  readonly command?: string;
  readonly replicas?: number;
}

const OF_ONE = ['image', 'artifact', 'observe', 'root', 'command', 'replicas'] as const;

/** The services of the file that a deploy is about: the named one, else all. */
export function chosenServices(
  { file, isSeveral, services }: EvidentFile,
  options: OptionsOfOne,
): readonly EvidentService[] {
  if (!isSeveral) return services;
  if (options.service === undefined) {
    const one = OF_ONE.find((name) => options[name] !== undefined);
    if (one !== undefined && services.length > 1)
      throw new UsageError(
        `--${one} is about one service, and ${file} has ${services.length}. Add --service.`,
      );
    return services;
  }
  const [wanted = '', target] = options.service.split('@');
  const named = services.filter(({ name }) => name === wanted);
  const chosen = named.length > 1 ? named.filter((one) => one.target === target) : named;
  if (chosen.length > 0) return chosen;
  const names = services.map(({ name }) => name ?? '');
  const meant = similarName(wanted, names);
  throw new UsageError(
    `No service “${wanted}” in ${file}. ${meant === null ? `There is ${names.join(', ')}.` : `Did you mean ${meant}?`}`,
  );
}
