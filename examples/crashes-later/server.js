// Well for a while, then gone: CRASH_AFTER_MS says for how long.
import { createServer } from 'node:http';

const afterMs = Number(process.env.CRASH_AFTER_MS ?? 20_000);
createServer((_, response) => response.end('well, so far\n')).listen(Number(process.env.PORT ?? 3000));

setTimeout(() => {
  console.error('out of luck');
  process.exit(1);
}, afterMs);
