import { type Config, flagOf, resolveConfig, SETTING_NAMES, variableOf } from '../server/config.ts';
import { type Format, print } from './output.ts';
import { printRefusals } from './print-refusals.ts';

export interface ConfigOptions {
  readonly output: Format;
  readonly [setting: string]: unknown;
}

/** Meaning of a setting that is not set. */
const UNSET: Readonly<Record<string, string>> = {
  database: 'SQLite in the data directory',
  files: 'the data directory',
  routerPort: 'the port of the API and one',
  tlsCert: 'no https',
  tlsKey: 'no https, or beside each certificate of the folder',
  tlsPort: 'the port of the router and one',
};

/** `evident config show`: each value and its origin. A password in an address is not printed. */
export function showConfig({ output, ...flags }: ConfigOptions): Promise<void> {
  return printRefusals(async () => {
    const { config, origins } = resolveConfig(flags);
    const rows = SETTING_NAMES.map((name) => ({
      name,
      value: name === 'database' ? hidden(config.database) : config[name],
      origin: origins[name],
      flag: flagOf(name),
      variable: variableOf(name),
    }));
    const width = Math.max(...rows.map(({ name }) => name.length));
    await print(output, rows, () =>
      rows
        .map(
          ({ name, value, origin, flag, variable }) =>
            `${name.padEnd(width)}  ${String(value ?? UNSET[name])}  (${origin}; ${flag}, ${variable})${sharing(name, config)}`,
        )
        .join('\n'),
    );
  }, output);
}

/**
 * Settings that must be equal on all servers of one database: servers that judge or refuse by different
 * durations and limits would contradict each other.
 */
const ALIKE: ReadonlySet<string> = new Set(SETTING_NAMES.filter((name) => /Ms$|^max|^keep/.test(name)));

/** A note beside each setting that several servers on one database must share. */
function sharing(name: string, { database, files }: Config): string {
  if (database === null) return '';
  if (name === 'database') return '  every server of it: the same';
  if (name === 'data') return '  every server: one of its own';
  if (ALIKE.has(name)) return '  every server: the same';
  if (name !== 'files') return '';
  return files === null
    ? '  several servers need one directory in common: none is named'
    : '  every server: the same, on storage that all of them see';
}

function hidden(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return url;
  const printable = new URL(url);
  if (printable.password !== '') printable.password = '***';
  return printable.toString();
}
