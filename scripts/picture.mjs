// `npm run picture`: the picture in the README, captured from the real program in a real terminal. A broken deploy over
// a running one: the moment in which a status is most tempted to lie.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleIfStale } from './bundle.mjs';
import { ROOT } from './root.mjs';
import { setUp } from './setup.mjs';
import { drawTerminals, openTerminal } from './terminal-picture.mjs';

const EVIDENT = join(ROOT, 'bin', 'evident');

await setUp();
await bundleIfStale('evident');
const dir = mkdtempSync(join(tmpdir(), 'evident-picture-'));
const data = join(dir, 'data');
const up = terminal(['up', '--data', data, '--port', '0']);
try {
  await up.until('Evident is ready');
  const web = join(dir, 'web');
  cpSync(join(ROOT, 'examples', 'hello'), web, { recursive: true });
  await terminal(['deploy', web]).ended;
  writeFileSync(join(web, 'server.js'), 'throw new Error("DATABASE_URL is not set");\n');
  const broken = terminal(['deploy', web]);
  await broken.ended;
  writeFileSync(
    join(ROOT, 'docs', 'pictures', 'deploy.svg'),
    drawTerminals('evident deploy: the new revision does not start, the old one is still serving', [
      { prompt: '$ evident deploy', columns: 100, rows: await broken.cells() },
    ]),
  );
  console.log('wrote docs/pictures/deploy.svg');
} finally {
  await terminal(['down', '--data', data]).ended;
  await up.ended;
  rmSync(dir, { recursive: true, force: true });
}

/** @param {string[]} args */
function terminal(args) {
  return openTerminal(process.execPath, [EVIDENT, ...args], { cwd: dir, env: { EVIDENT_DATA: data } });
}
