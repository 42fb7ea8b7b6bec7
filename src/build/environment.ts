import { join } from 'node:path';
import { machinePath } from '../artifact/launcher.ts';

/**
 * The environment of a build: the search path, a home of its own, a language. Of the worker's own environment
 * it gets only the search path and the variables that the operator names: the rest holds tokens and addresses
 * that the app must not see (S15). Builders get no secrets of the service.
 */
export function buildEnvironment(options: {
  readonly home: string;
  readonly own: NodeJS.ProcessEnv;
  /** Variables that the operator lets through: a proxy, a package mirror, a certificate. */
  readonly pass: readonly string[];
  readonly caches: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, string>>;
}): Record<string, string> {
  const { home, own, pass, caches, spec } = options;
  const passed = pass.flatMap((name) => {
    const value = own[name];
    return value === undefined || name.startsWith('EVIDENT_') ? [] : [[name, value]];
  });
  return {
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    CI: '1',
    CGO_ENABLED: '0',
    GOTOOLCHAIN: 'local',
    GOFLAGS: '-modcacherw',
    npm_config_update_notifier: 'false',
    npm_config_fund: 'false',
    npm_config_audit: 'false',
    // The artifact is started by Node alone, which does not know yarn's own way of finding packages.
    YARN_NODE_LINKER: 'node-modules',
    YARN_ENABLE_TELEMETRY: '0',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    ...caches,
    ...Object.fromEntries(passed),
    ...spec,
    // Set last: the processes of a build are found by its home, and a spec that sets PATH would lose the
    // tools.
    PATH: machinePath(own.PATH),
    HOME: home,
    TMPDIR: join(home, 'tmp'),
  };
}
