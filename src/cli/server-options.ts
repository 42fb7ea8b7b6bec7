import { type Command, Option } from 'commander';

/** The flags of `up` and `server`, kept as text: config.ts checks them like variables and the file. */
export function withServerOptions(command: Command): Command {
  return command
    .option('--data <dir>', 'the data directory (EVIDENT_DATA, else ~/.evident)')
    .option('--port <n>', 'the port of the API, 0 for any (EVIDENT_PORT, else 7717)')
    .option('--host <address>', 'the address to listen on (EVIDENT_HOST, else 127.0.0.1)')
    .option('--database <url>', 'postgres://… (EVIDENT_DATABASE_URL, else SQLite in the data directory)')
    .addOption(
      ms(
        '--fresh-for <ms>',
        'freshForMs',
        'for how long a report is fresh (15000, or more for a rare --report-every)',
      ),
    )
    .addOption(
      ms(
        '--report-every <ms>',
        'reportEveryMs',
        'how often agents report (5000, at most a third of --fresh-for)',
      ),
    )
    .addOption(ms('--lease-ttl <ms>', 'leaseTtlMs', 'for how long a lease is good (30000)'))
    .option('--metrics-public', 'let anybody read /metrics')
    .option('--keep-days <n>', 'how many days of the past are kept (90)')
    .option('--keep-revisions <n>', 'how many revisions of a service stay, however old (50)')
    .option(
      '--files <dir>',
      'where artifacts, logs and the archive lie (the data directory); servers on one database share it',
    )
    .option('--max-json-bytes <n>', 'how large a JSON body may be (1 MiB)')
    .option('--max-report-bytes <n>', 'how large a report may be (64 MiB)')
    .option('--max-source-bytes <n>', 'how large a source may be (512 MiB)')
    .option('--max-artifact-bytes <n>', 'how large an artifact may be (2 GiB)')
    .option('--max-items <n>', 'how many pieces of evidence, or lines, are taken at once (1000)')
    .addOption(ms('--max-wait <ms>', 'maxWaitMs', 'for how long who asks for work may wait (30000)'))
    .option('--max-page-items <n>', 'how many items a page of a list may have (200)')
    .option('--max-streams <n>', 'how many streams an org may have open (2000)')
    .option('--max-requests-per-second <n>', 'how many requests an org may send (2000)')
    .option(
      '--webhook-allow <networks>',
      'networks beside the internet that webhooks may be sent to, as 10.0.0.0/8,… (none)',
    );
}

/** A flag without its unit, for a setting whose name ends in `Ms`. */
const ms = (flags: string, name: string, description: string) => {
  const option = new Option(flags, description);
  option.attributeName = () => name;
  return option;
};
