// `npm run check`: everything that can be said about the code without running it. The steps run side by side.
import { runQuietly } from './run-child.mjs';
import { setUp } from './setup.mjs';

/** tsx's import hook alone: starts in half the time of its command. @type {readonly [string, ...string[]]} */
const TYPESCRIPT = [process.execPath, '--import', 'tsx/esm'];

/** To add a check, add a line. @type {ReadonlyArray<{ name: string, run: readonly [string, ...string[]] }>} */
const STEPS = [
  { name: 'types', run: ['node_modules/.bin/tsc', '--noEmit'] },
  { name: 'types of the web UI', run: ['node_modules/.bin/tsc', '--noEmit', '-p', 'web'] },
  { name: 'format and lint', run: ['node_modules/.bin/biome', 'check', '--error-on-warnings'] },
  { name: 'structure', run: [...TYPESCRIPT, 'scripts/check-structure.ts'] },
  { name: 'no import circles', run: [...TYPESCRIPT, 'scripts/check-circles.ts'] },
  { name: 'no unused exports', run: [...TYPESCRIPT, 'scripts/check-exports.ts'] },
  { name: 'one name for each type', run: [...TYPESCRIPT, 'scripts/check-names.ts'] },
  { name: 'paths and rules in docs', run: [...TYPESCRIPT, 'scripts/check-docs.ts'] },
  { name: 'citations of rules', run: [...TYPESCRIPT, 'scripts/rules.ts', '--check'] },
  { name: 'model', run: [process.execPath, 'scripts/run.mjs', 'evident', 'model', '--check'] },
  { name: 'GraphQL schema', run: [...TYPESCRIPT, 'scripts/graphql-schema.ts', '--check'] },
  {
    name: 'pages made from code',
    run: [process.execPath, 'scripts/run.mjs', 'evident', 'reference', '--check'],
  },
];

await setUp();
const passed = await Promise.all(
  STEPS.map(async ({ name, run: [program, ...args] }) => {
    const startedAt = performance.now();
    const { code, output } = await runQuietly(program, args);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)`);
    if (code !== 0) console.log(output);
    return code === 0;
  }),
);
process.exitCode = passed.every(Boolean) ? 0 : 1;
