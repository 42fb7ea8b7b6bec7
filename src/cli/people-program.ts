import { type Command, Option } from 'commander';
import { STATES } from '../contract/vocabulary.ts';
import { withContextOptions } from './context.ts';
import type { LoginOptions } from './contexts/login.ts';
import type { DeployOptions } from './deploy/deploy.ts';
import { withExamples } from './examples.ts';
import { countOf, durationOf, instantText, positiveOf, sinceOf } from './option-values.ts';
import { withOutput } from './output.ts';

const SERVICE = 'name or name@target (the target is local if none is named)';
const collect = (value: string, all: readonly string[] = []) => [...all, value];

/** Adds the commands of people: everything that talks to a server about services. */
export function addPeople(program: Command): void {
  program.commandsGroup('Deploy and change:');
  addDeploy(program);
  addActs(program);
  addConfiguration(program);
  program.commandsGroup('See how it stands:');
  addReads(program);
  addLists(program);
  program.commandsGroup('Sign in:');
  addSignIn(program);
}

const verb = (program: Command, name: string, description: string) =>
  withContextOptions(program.command(name).description(description));
const ofService = (program: Command, name: string, description: string) =>
  verb(program, name, description).argument('<service>', SERVICE);

const EXIT_CODES = `
Exit codes: 0 it came true, 1 failed, 2 misused or refused, 3 unknown or abandoned,
4 cancelled or superseded, 5 no server answers, 130 Ctrl-C (the work goes on).`;

function withWaiting(command: Command): Command {
  return command
    .addHelpText('after', EXIT_CODES)
    .option('--detach', 'do not wait: exit 0 once it is accepted')
    .option('--give-up-after <time>', 'how long to wait for a server that does not answer (30s)', durationOf);
}

const withDryRun = (command: Command) =>
  command.option('--dry-run', 'print what would change, and do nothing');

function addDeploy(program: Command): void {
  const deploy = withDryRun(withWaiting(verb(program, 'deploy', 'deploy a folder, an image or an artifact')))
    .argument('[dir]', 'the folder (the current one)')
    .option(
      '--service <name>',
      'the service, name or name@target (name in evident.yaml, else the folder’s name); of several in the file, the one',
    )
    .option('--config <file>', 'the file that describes it (evident.yaml of the folder)')
    .option('--root <dir>', 'the folder of the app inside the deployed one (root in the file)')
    .option('--command <line>', 'how it is started')
    .option('--image <ref>', 'an image instead of a folder; nothing is built')
    .option('--artifact <digest>', 'something that was built before: sha256:…')
    .option('--observe', 'another tool deploys it; only watch it')
    .option('--new-target', 'the target may be one that no agent has registered for yet')
    .option('--env <K=V>', 'a variable of the app; may be repeated', collect)
    .option('--secret <K=V>', 'the same, never shown again; K alone takes it from the environment', collect)
    .option(
      '--env-file <file>',
      'variables from a file, a line NAME=value each, as Node reads it; may be repeated',
      collect,
    )
    .option('--replicas <n>', 'how many copies', countOf)
    .action(async (dir: string | undefined, options: DeployOptions) =>
      (await import('./deploy/deploy.ts')).runDeploy(dir, options),
    );
  withExamples(
    deploy,
    ['evident deploy', 'the current folder, and watch until it runs'],
    ['evident deploy ./api --service api@prod', 'another folder, to another target'],
    ['DB_URL=… evident deploy --secret DB_URL', 'a secret from the environment'],
    ['evident deploy --image registry.example/web@sha256:…', 'what was built elsewhere'],
    ['evident deploy --detach -o json', 'for scripts: accepted is enough'],
    [
      'evident deploy --config evident.prod.yaml --env-file .env.prod',
      'another file, and variables from one',
    ],
    ['evident deploy --service api', 'one of several services in evident.yaml; without it all of them'],
    ['evident deploy --dry-run', 'what it would change'],
  );
}

function addReads(program: Command): void {
  const at = new Option('--at <instant>', 'what was known then: 2026-11-14T14:03Z, 14:03 or -10m').argParser(
    instantText,
  );
  withExamples(
    ofService(program, 'status', 'current status')
      .addOption(at)
      .action(async (ref, options) => (await import('./verbs/status.ts')).runStatus(ref, options)),
    ['evident status web', 'how it stands'],
    ['evident status web@prod -o json', 'the claim, for a script'],
  );
  withExamples(
    ofService(program, 'watch', 'follow what is in progress until it is settled')
      .addHelpText('after', EXIT_CODES)
      .option('-f, --follow', 'go on after that, until Ctrl-C')
      .option(
        '--give-up-after <time>',
        'how long to wait for a server that does not answer (30s)',
        durationOf,
      )
      .action(async (ref, options) => (await import('./verbs/watch.ts')).runWatch(ref, options)),
    ['evident watch web', 'attach again; exit 0 if it came true'],
    ['evident watch web -f', 'keep looking'],
    ['evident watch web -o json', 'one event to a line'],
  );
  withExamples(
    ofService(
      program,
      'explain',
      'what is claimed, on which evidence, how old, what would change it, whose move it is',
    )
      .addOption(at)
      .action(async (ref, options) => (await import('./verbs/explain.ts')).runExplain(ref, options)),
    ['evident explain web', 'of now'],
    ['evident explain web --at -10m', 'ten minutes ago'],
  );
  withExamples(
    ofService(
      program,
      'history',
      'revisions, newest first: who, from which commit, how it ended, how long it took',
    )
      .option('--limit <n>', 'how many', positiveOf, 20)
      .action(async (ref, options) => (await import('./verbs/history.ts')).runHistory(ref, options)),
    ['evident history web', 'the newest 20'],
    ['evident history web -o wide', 'with stages and artifacts'],
  );
  withExamples(
    ofService(program, 'logs', 'lines of the instances, or of the build; whose, where several write')
      .option('-f, --follow', 'go on, until Ctrl-C')
      .addOption(
        new Option('--stream <stream>', 'of what (run once it has started, else build)').choices([
          'build',
          'run',
        ]),
      )
      .option('--revision <n>', 'of which revision (the newest that has lines)', positiveOf)
      .option('--attempt <n>', 'of which attempt', positiveOf)
      .option('--instance <id>', 'of which instance')
      .option('-n, --tail <n>', 'how many lines', positiveOf, 200)
      .option('--since <time>', 'only lines from then on: 10m, 14:03 or 2026-11-14T14:03Z', sinceOf)
      .option('-t, --timestamps', 'each line with its time')
      .action(async (ref, options) => (await import('./verbs/logs.ts')).runLogs(ref, options)),
    ['evident logs web -f', 'follow the app'],
    ['evident logs web --stream build --tail 50', 'the end of the build'],
  );
  withExamples(
    verb(program, 'evidence', 'what was said about a service, the rejected with its reason (operators)')
      .argument('[service]', `${SERVICE}; without it: what was rejected, whatever it was about`)
      .option('--rejected', 'only what was rejected')
      .option('--limit <n>', 'how many of the newest', positiveOf, 50)
      .action(async (ref, options) => (await import('./verbs/lists.ts')).runEvidence(ref, options)),
    ['evident evidence web --rejected', 'what was rejected, and why'],
    ['evident evidence', 'what was rejected anywhere, also about services that there are not'],
  );
  withExamples(
    verb(
      program,
      'open',
      'print the address of a service, or a link that signs in to the page; open it on a desktop',
    )
      .argument('[service]', `${SERVICE}; without it: the page, by a link that works once`)
      .option('--no-browser', 'only print it')
      .action(async (ref, options) => (await import('./verbs/open.ts')).runOpen(ref, options)),
    ['evident open web', 'the app'],
    ['evident open', 'the page of the server, signed in'],
    ['evident open --no-browser', 'a link for a browser elsewhere'],
  );
}

function addActs(program: Command): void {
  const acts = () => import('./verbs/actions.ts');
  withExamples(
    withDryRun(
      withWaiting(
        ofService(program, 'rollback', 'go back to an earlier revision, as a new one; builds nothing'),
      ),
    )
      .option('--to <n>', 'which (the newest below the active one that succeeded)', positiveOf)
      .action(async (ref, options) => (await acts()).runRollback(ref, options)),
    ['evident rollback web', 'to the last good one'],
    ['evident rollback web --to 41', 'to revision 41'],
  );
  withExamples(
    withWaiting(
      ofService(program, 'retry', 'try the same revision again, from the first stage not yet proven'),
    ).action(async (ref, options) => (await acts()).runRetry(ref, options)),
    ['evident retry web', 'after a failure that was not the app’s'],
  );
  withExamples(
    ofService(program, 'cancel', 'end what is in progress, or a revision that waits')
      .option('--revision <n>', 'a revision that waits in the queue', positiveOf)
      .action(async (ref, options) => (await acts()).runCancel(ref, options)),
    ['evident cancel web', 'what is being built'],
  );
  withExamples(
    withWaiting(
      ofService(program, 'restart', 'start it anew: the same artifact and spec, as a new revision'),
    ).action(async (ref, options) => (await acts()).runRestart(ref, options)),
    ['evident restart web', ''],
  );
  withExamples(
    withWaiting(ofService(program, 'scale', 'run another number of copies, keeping those there are'))
      .argument('<replicas>', 'how many; 0 stops all of them', countOf)
      .action(async (ref, replicas, options) => (await acts()).runScale(ref, replicas, options)),
    ['evident scale web 3', 'three copies'],
    ['evident scale web 0', 'none, until it is scaled up again'],
  );
  withExamples(
    withDryRun(withWaiting(ofService(program, 'teardown', 'remove what runs, and prove that it is gone')))
      .alias('rm')
      .option('--force', 'even if it is unknown what runs (operators)')
      .option('--reason <text>', 'why, with --force; kept on record')
      .option('-y, --yes', 'do not ask')
      .action(async (ref, options) => (await acts()).runTeardown(ref, options)),
    ['evident teardown web', 'asks first; without a terminal it needs --yes'],
    ['evident teardown web --yes', 'does not ask'],
    ['evident teardown web --force --reason "the machine is gone"', 'takes it off the lists'],
  );
}

function addConfiguration(program: Command): void {
  const variables = (name: 'env' | 'secrets', description: string) =>
    withDryRun(withWaiting(verb(program, name, description)))
      .usage('[options] [set K=V… | unset K… | import FILE] <service>')
      .argument('[words...]', `set, unset or import with what they take, then the service: ${SERVICE}`)
      .action(async (words: string[], options) =>
        (await import('./verbs/variables.ts')).runVariables(name, words, options),
      );
  withExamples(
    variables('env', 'show or change the variables of a service, which last from deploy to deploy'),
    ['evident env web', 'all that it has'],
    ['evident env set LOG_LEVEL=debug web', 'one more, as a new revision; builds nothing'],
    ['evident env unset LOG_LEVEL web', ''],
    ['evident env import .env web', 'every line NAME=value of a file'],
  );
  withExamples(
    variables('secrets', 'show the names of secrets, or change them; no value is ever shown'),
    ['evident secrets web', 'their names'],
    ['DB_URL=… evident secrets set DB_URL web', 'from the environment, not from the shell’s history'],
    ['evident secrets unset DB_URL web', ''],
  );
  withExamples(
    ofService(program, 'diff', 'what a revision changed: configuration, artifact, commit')
      .argument('[from]', 'a revision (the one before)', positiveOf)
      .argument('[to]', 'another (the newest)', positiveOf)
      .action(async (ref, from, to, options) =>
        (await import('./verbs/diff.ts')).runDiff(ref, from, to, options),
      ),
    ['evident diff web', 'the newest against the one before'],
    ['evident diff web 4', 'from revision 4 to the newest'],
    ['evident diff web 4 7', 'from revision 4 to revision 7'],
  );
}

function addLists(program: Command): void {
  const lists = () => import('./verbs/lists.ts');
  withExamples(
    verb(program, 'services', 'services with their claims')
      .aliases(['ls', 'ps'])
      .addOption(new Option('--state <state>', 'only those in a state').choices([...STATES]))
      .option('--target <target>', 'only those of a target')
      .option(
        '--all',
        'also those that were torn down before yesterday, and those that a forced teardown took off',
      )
      .action(async (options) => (await lists()).runServices(options)),
    ['evident services', 'all of them'],
    ['evident services --state unknown -o wide', 'what is not known, and why'],
  );
  withExamples(
    verb(program, 'agents', 'who speaks for each target, and how fresh that is (operators)')
      .option('--workers', 'workers instead, and what they hold')
      .option('--all', 'also those of earlier starts')
      .action(async (options) => (await lists()).runAgents(options)),
    ['evident agents', ''],
    ['evident agents --workers', 'who builds'],
  );
  withExamples(
    verb(
      program,
      'commands',
      'work that is not over: what each waits for, and who holds it (operators)',
    ).action(async (options) => (await lists()).runCommands(options)),
    ['evident commands -o wide', ''],
  );
  withExamples(
    verb(program, 'doctor', 'look for everything that could be wrong here, and say how to mend it')
      .option('--data <dir>', 'the data directory (EVIDENT_DATA, else as for every command)')
      .action(async (options) => (await import('./doctor/doctor.ts')).runDoctor(options)),
    ['evident doctor', ''],
  );
}

function addSignIn(program: Command): void {
  withExamples(
    withOutput(program.command('login'))
      .description('sign in to a server, and use it from every folder')
      .argument(
        '[url]',
        'the server, or a sign-in link of it (EVIDENT_SERVER, else the server of the data directory)',
      )
      .option('--name <name>', 'what to call the context (the host)')
      .option('--token-file <file>', 'the token, from a file; - for standard input')
      .option('--token <token>', 'the token itself; better on standard input, which nobody else can see')
      .option('--data <dir>', 'a server of yours on this machine, by its data directory')
      .action(async (url, options: LoginOptions) =>
        (await import('./contexts/login.ts')).runLogin(url, options),
      ),
    ['evident login', 'the server that runs on the data directory here'],
    ['evident login https://evident.example', 'asks for a token; in a pipe it is read from standard input'],
    ["evident login 'http://127.0.0.1:7717/#link=…'", 'by a sign-in link, for 12 hours'],
  );
  const contexts = () => import('./contexts/contexts.ts');
  const context = program.command('context').description('the servers you signed in to');
  withExamples(
    withOutput(context.command('list', { isDefault: true }))
      .description('list them; * marks the current one')
      .option('--no-color', 'no colours (also NO_COLOR)')
      .action(async (options) => (await contexts()).listContexts(options)),
    ['evident context', ''],
  );
  withExamples(
    withOutput(context.command('use <name>'))
      .description('make another the current one')
      .action(async (name: string, options) => (await contexts()).useContext(name, options)),
    ['evident context use evident.example', ''],
  );
  withExamples(
    withOutput(context.command('remove <name>'))
      .alias('rm')
      .description('forget one, with its token')
      .action(async (name: string, options) => (await contexts()).removeContext(name, options)),
    ['evident context remove evident.example', ''],
  );
}
