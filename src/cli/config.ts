import { type Config, flagOf, resolveConfig, SETTING_NAMES, variableOf } from '../server/config.ts';
import { type Format, print } from './output.ts';
import { plainly } from './print-refusals.ts';

export interface ConfigOptions {
  readonly output: Format;
  readonly [setting: string]: unknown;
}

/** What it means where nothing is said. */
const UNSET: Readonly<Record<string, string>> = {
  database: 'SQLite in the data directory',
  files: 'the data directory',
  routerPort: 'the port of the API and one',
};

/** `evident config show`: each value, and where it came from. A password in an address is not shown. */
export function showConfig({ output, ...flags }: ConfigOptions): Promise<void> {
  return plainly(async () => {
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

/** Servers that judge or refuse by different lengths and limits would contradict each other. */
const ALIKE: ReadonlySet<string> = new Set(SETTING_NAMES.filter((name) => /Ms$|^max|^keep/.test(name)));

/** What several servers on one database must have in common, beside each setting that decides it. */
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
  const shown = new URL(url);
  if (shown.password !== '') shown.password = '***';
  return shown.toString();
}
