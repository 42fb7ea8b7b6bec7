import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };

const program = new Command('evident').description(manifest.description).version(manifest.version);

program
  .command('version')
  .description('print the version')
  .action(() => console.log(manifest.version));

program
  .command('story')
  .description('tell what evident does, on this machine')
  .action(() => console.log('The story is not written yet. See `evident --help`.'));

await program.parseAsync();
