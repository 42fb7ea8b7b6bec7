import { type Command, Help, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import type { AgentFlags } from './agent-flags.ts';
import type { InstallFlags } from './agent-install.ts';
import type { ArchiveFlags } from './archive.ts';
import type { ConfigOptions } from './config.ts';
import { withConnection } from './connection.ts';
import { withContextOptions } from './context.ts';
import type { DownOptions } from './down.ts';
import { withExamples } from './examples.ts';
import type { InspectOptions } from './inspect/inspect.ts';
import type { ModelOptions } from './model.ts';
import { countOf, durationOf, imageOf, instantOf, namespaceOf, reasonOf } from './option-values.ts';
import { withOutput } from './output.ts';
import type { RebuildFlags } from './rebuild.ts';
import type { RecoveredOptions } from './recovered.ts';
import type { RouterFlags } from './router.ts';
import type { ServerOptions } from './server.ts';
import { withServerOptions } from './server-options.ts';
import { type StoreOptions, withStoreOptions } from './store-options.ts';
import type { ObserveOptions, RetireOptions } from './targets.ts';
import type { CreateOptions } from './tokens.ts';
import type { UpOptions } from './up.ts';
import type { AddOptions, DeliveriesOptions } from './webhooks.ts';
import type { WorkerFlags } from './worker.ts';

/** The router's https, for both commands that have one. */
const TLS_CERT = [
  '--tls-cert <file>',
  'https at the router: a certificate with its chain, or a folder of pairs (EVIDENT_TLS_CERT)',
] as const;
const TLS_KEY = ['--tls-key <file>', 'its key; none for a folder (EVIDENT_TLS_KEY)'] as const;
const TLS_PORT = [
  '--tls-port <n>',
  'where services answer by https (EVIDENT_TLS_PORT, else the port of the router and one)',
] as const;

/** Adds the commands that run the platform, and those an operator uses on its store. */
export function addPlatform(program: Command): void {
  addUp(program);
  withExamples(
    withServerOptions(program.command('server'))
      .description('run the control plane: the API, the publisher and the sweeper')
      .addOption(
        new Option('-o, --output <form>', 'how to say that it is ready')
          .choices(['text', 'json'])
          .default('text'),
      )
      .action(async (options: ServerOptions) => (await import('./server.ts')).runServer(options)),
    ['evident server', 'on SQLite in ~/.evident'],
    ['evident server --database postgres://evident@db/evident', 'on PostgreSQL'],
  );

  withExamples(
    withConnection(program.command('worker'))
      .description('build what is deployed: takes build commands from a server, each under a lease')
      .option('--kinds <kinds>', 'what it takes on: build', 'build')
      .option('--name <name>', 'its name (this machine’s name)')
      .option(
        '--data <dir>',
        'where it works and keeps its caches (EVIDENT_DATA, else ~/.evident), in a folder of its own',
      )
      .option('--concurrency <n>', 'how many builds at a time', countOf, 1)
      .option('--build-env <name...>', 'variables of its own that builds may see: a proxy, a package mirror')
      .option(
        '--trust-apps',
        'run apps and builds as this user, who can read the files of Evident and of all of them',
      )
      .option('--min-free-mb <n>', 'start nothing with less free disk than this', countOf, 512)
      .addOption(
        new Option('-o, --output <form>', 'how to say that it is ready')
          .choices(['text', 'json'])
          .default('text'),
      )
      .action(async (options: WorkerFlags) => (await import('./worker.ts')).runWorkerCommand(options)),
    ['evident worker', 'beside a server: it makes its token itself, once'],
    ['EVIDENT_SERVER=https://evident.example EVIDENT_TOKEN=… evident worker', 'on another machine'],
    ['evident worker --build-env HTTPS_PROXY --concurrency 2', 'behind a proxy, two builds at a time'],
  );

  const namespaces = (value: string, before: readonly string[] = []) => [...before, namespaceOf(value)];
  const agent = withConnection(program.command('agent'));
  withExamples(
    agent
      .description('speak for a target: run what is deployed there, and say what is seen')
      .requiredOption('--target <name>', 'the target it speaks for')
      .option('--runtime <kind>', 'process: run services here; kubernetes: observe a cluster', 'process')
      .option('--kubeconfig <file>', 'kubernetes: the kubeconfig (KUBECONFIG, else ~/.kube/config)')
      .option('--context <name>', 'kubernetes: the context in it')
      .option('--namespace <name>', 'kubernetes: read only this one; may be repeated', namespaces)
      .option(
        '--default-namespace <name>',
        'kubernetes: its workloads are named without it (that of the context)',
        namespaceOf,
      )
      .option(
        '--deploy',
        'kubernetes: deploy services of the target too, in its default namespace; without it nothing is changed',
      )
      .option('--name <name>', 'its name (agent- and this machine’s name)')
      .option(
        '--data <dir>',
        'where what runs is kept (EVIDENT_DATA, else ~/.evident), in a folder of its own',
      )
      .option(
        '--router-port <n>',
        'where services answer by host name, 0 for any (EVIDENT_ROUTER_PORT, else the port of the server and one)',
      )
      .option(...TLS_CERT)
      .option(...TLS_KEY)
      .option(...TLS_PORT)
      .option(
        '--trust-apps',
        'run apps and builds as this user, who can read the files of Evident and of all of them',
      )
      .option('--router-host <address>', 'the address the router listens on', '127.0.0.1')
      .addOption(
        new Option('-o, --output <form>', 'how to say that it is ready')
          .choices(['text', 'json'])
          .default('text'),
      )
      .action(async (options: AgentFlags) => (await import('./agent.ts')).runAgentCommand(options)),
    ['evident agent --target local', 'beside a server: it makes its token itself, once'],
    [
      'EVIDENT_SERVER=https://evident.example EVIDENT_TOKEN=… evident agent --target edge',
      'on another machine',
    ],
    ['evident agent --target local --router-port 80 --router-host 0.0.0.0', 'open to the network'],
    ['evident agent --target local --tls-cert /etc/letsencrypt/live --tls-port 443', 'https, too'],
    ['evident agent --runtime kubernetes --target prod', 'the cluster that the kubeconfig names'],
    ['evident agent --runtime kubernetes --target prod --deploy', 'the same, and it deploys there'],
  );
  withExamples(
    agent
      .command('install')
      .description('print the manifests of an agent inside a cluster, for kubectl apply -f -')
      .option('--home <namespace>', 'the namespace that the agent itself runs in', namespaceOf, 'evident')
      .option('--image <ref>', 'the image of Evident', imageOf, `evident:${manifest.version}`)
      .configureHelp({
        ...agent.configureHelp(),
        visibleOptions: (install) => optionsOfInstall(agent, install),
      })
      .action(async (_options: object, command: Command) =>
        (await import('./agent-install.ts')).printInstall(command.optsWithGlobals() as InstallFlags),
      ),
    ['evident agent install --target prod | kubectl apply -f -', ''],
    ['evident agent install --target prod --namespace shop | kubectl apply -f -', 'one namespace alone'],
    [
      'evident agent install --target prod --deploy --default-namespace apps | kubectl apply -f -',
      'it deploys to apps, too',
    ],
  );

  withExamples(
    program
      .command('router')
      .description('forward to the apps of a target by the last routes; `up` and `agent` start it themselves')
      .option('--data <dir>', 'the data directory of `up` or of the agent (EVIDENT_DATA, else ~/.evident)')
      .option('--target <name>', 'the target whose apps it forwards to', 'local')
      .action(async (options: RouterFlags) => (await import('./router.ts')).runRouterCommand(options)),
    ['evident router', 'keeps apps reachable while nothing else of Evident runs'],
  );

  const config = program.command('config').description('the settings of a server');
  withExamples(
    withOutput(withServerOptions(config.command('show')))
      .description('print each setting with where it came from: flag, variable, file or default')
      .action(async (options: ConfigOptions) => (await import('./config.ts')).showConfig(options)),
    ['evident config show', ''],
  );

  addTokens(program);
  addWebhooks(program);
  addTargets(program);
  addObserve(program);
  addStore(program);
  withExamples(
    withOutput(program.command('inspect'))
      .description(
        'say what is proven of Kubernetes objects: of files, or of the cluster that the kubeconfig names',
      )
      .option(
        '-f, --filename <file...>',
        'files or directories of YAML or JSON, - for standard input; offline',
      )
      .option(
        '-n, --namespace <name>',
        'without -f: a namespace of the cluster (that of the context)',
        namespaceOf,
      )
      .option('-A, --all-namespaces', 'without -f: all namespaces, and what is in none')
      .option('--kubeconfig <file>', 'without -f: the kubeconfig (KUBECONFIG, else ~/.kube/config)')
      .option('--context <name>', 'without -f: the context in it')
      .option('-q, --quiet', 'only objects that are not ready, suspended or stopped')
      .option('--no-color', 'no colours (also NO_COLOR)')
      .action(async (options: InspectOptions) => (await import('./inspect/inspect.ts')).runInspect(options)),
    ['kubectl get deploy,rs,pods,events -o json | evident inspect -f -', 'pods and events give the reasons'],
    [
      'evident inspect -f dump.yaml -o json',
      'for scripts: exit 0 only if all is ready, suspended or stopped',
    ],
    [
      'evident inspect -n shop',
      'read once from the cluster; as a plugin of kubectl: kubectl evident -n shop',
    ],
  );

  withExamples(
    program
      .command('story')
      .description('tell one deployment by its evidence: a lost worker, a late report, a silent agent')
      .option('--data <dir>', 'where it is kept (EVIDENT_DATA, else ~/.evident), in a folder of its own')
      .action(async (options: StoreOptions) => (await import('./story.ts')).playStory(options)),
    ['evident story', 'told again, it goes on from what is on record'],
  );
}

function addUp(program: Command): void {
  const form = () =>
    new Option('-o, --output <form>', 'words, or a line of JSON for each event')
      .choices(['text', 'json'])
      .default('text');
  withExamples(
    withServerOptions(program.command('up'))
      .description('run all of it on this machine: the server, a worker, and an agent for the target local')
      .option(
        '--router-port <n>',
        'where services answer by host name (EVIDENT_ROUTER_PORT, else the port of the API and one; 0 takes any)',
      )
      .option(...TLS_CERT)
      .option(...TLS_KEY)
      .option(...TLS_PORT)
      .option(
        '--trust-apps',
        'run apps and builds as this user, who can read the files of Evident and of all of them',
      )
      .option('--example', 'deploy examples/hello, unless it is there')
      .option('--no-example', 'do not')
      .addOption(form())
      .action(async (options: UpOptions) => (await import('./up.ts')).runUp(options)),
    ['evident up', 'then, in the folder of an app: evident deploy'],
    ['evident up --example', 'as npm start does'],
    ['evident up --port 0 -o json', 'for scripts: any port, and a line of JSON when it is ready'],
  );
  withExamples(
    program
      .command('down')
      .description('stop what `up` started here, and its apps; the next `up` starts them again')
      .option('--data <dir>', 'the data directory (EVIDENT_DATA, else the nearest .evident, else ~/.evident)')
      .addOption(form())
      .action(async (options: DownOptions) => (await import('./down.ts')).runDown(options)),
    ['evident down', ''],
  );
}

function addTokens(program: Command): void {
  const tokens = program.command('tokens').description('who may call a server');
  withExamples(
    withContextOptions(tokens.command('create'))
      .description('make a token; it is shown once')
      .requiredOption('--role <role>', 'viewer, deployer, operator, admin, builder or agent')
      .option('--name <name>', 'the actor of what it does')
      .option('--target <pattern>', 'the targets it is bound to, with * for any run of characters')
      .option('--service <pattern>', 'the services it is bound to')
      .option('--org <org>', 'another org (the server’s own administrator only)')
      .option('--expires <time>', 'for how long it is good: 90s, 30m, 1h, 7d', durationOf)
      .action(async (options: CreateOptions) => (await import('./tokens.ts')).runTokenCreate(options)),
    ['evident tokens create --role deployer --name ana', 'for a person'],
    ["evident tokens create --role agent --target lab --service '*@lab'", 'for a component'],
  );
  withExamples(
    withContextOptions(tokens.command('list'))
      .description('tokens, without their secrets')
      .action(async (options) => (await import('./tokens.ts')).listTokens(options)),
    ['evident tokens list', ''],
  );
  withExamples(
    withContextOptions(tokens.command('revoke <id>'))
      .description('end a token and its sessions')
      .action(async (id: string, options) => (await import('./tokens.ts')).runTokenRevoke(id, options)),
    ['evident tokens revoke 5d1c…', ''],
  );
}

function addWebhooks(program: Command): void {
  const webhooks = program.command('webhooks').description('receivers outside, and what they are told');
  const events = (value: string, before: readonly string[] = []) => [...before, value];
  withExamples(
    withContextOptions(webhooks.command('add <url>'))
      .description('tell a receiver what happens from now on; its secret is shown once')
      .requiredOption(
        '--event <event>',
        'transition, settled, unknown, recovered or alarm; may be repeated',
        events,
      )
      .option('--target <pattern>', 'only of these targets, with * for any run of characters')
      .option('--service <pattern>', 'only of these services')
      .option('--format <format>', 'cloudevents, slack, discord or teams (cloudevents)')
      .option('--grace <time>', 'how long a target is not known before it is told (60s)', durationOf)
      .action(async (url: string, options: AddOptions) =>
        (await import('./webhooks.ts')).addWebhook(url, options),
      ),
    ['evident webhooks add https://hooks.example.com/evident --event settled', 'CloudEvents, signed'],
    ['evident webhooks add https://hooks.slack.com/… --event unknown --event recovered --format slack', ''],
  );
  withExamples(
    withContextOptions(webhooks.command('list'))
      .description('webhooks, and how many deliveries of each wait or were given up')
      .action(async (options) => (await import('./webhooks.ts')).listWebhooks(options)),
    ['evident webhooks list', ''],
  );
  withExamples(
    withContextOptions(webhooks.command('test <id>'))
      .description('send a message that says it is a test')
      .action(async (id: string, options) => (await import('./webhooks.ts')).testWebhook(id, options)),
    ['evident webhooks test 5d1c…', ''],
  );
  withExamples(
    withContextOptions(webhooks.command('deliveries <id>'))
      .description('what was sent to a receiver, and what came of it')
      .option('--dead', 'only those that were given up')
      .action(async (id: string, options: DeliveriesOptions) =>
        (await import('./webhooks.ts')).listDeliveries(id, options),
      ),
    ['evident webhooks deliveries 5d1c… --dead', ''],
  );
  withExamples(
    withContextOptions(webhooks.command('redeliver <id> <delivery>'))
      .description('send a delivery again, under the same id')
      .action(async (id: string, delivery: string, options) =>
        (await import('./webhooks.ts')).redeliver(id, delivery, options),
      ),
    ['evident webhooks redeliver 5d1c… msg_5d1c…_7', ''],
  );
  withExamples(
    withContextOptions(webhooks.command('remove <id>'))
      .description('send nothing more to a receiver')
      .action(async (id: string, options) => (await import('./webhooks.ts')).runWebhookRemove(id, options)),
    ['evident webhooks remove 5d1c…', ''],
  );
}

function addTargets(program: Command): void {
  const targets = program.command('targets').description('the places where services run');
  withExamples(
    withContextOptions(targets.command('retire <target>'))
      .description('say that a former place of a target is no more, so that the new one alone is judged')
      .requiredOption('--identity <id>', 'the former place, as the claim names it')
      .requiredOption('--reason <text>', 'how you know; kept in the ledger', reasonOf)
      .action(async (target: string, options: RetireOptions) =>
        (await import('./targets.ts')).retireTarget(target, options),
      ),
    ['evident targets retire edge --identity 5f2c… --reason "the machine was scrapped"', ''],
  );
}

function addObserve(program: Command): void {
  const namespaces = (value: string, before: readonly string[] = []) => [...before, value];
  withExamples(
    withContextOptions(program.command('observe <target>'))
      .description('claims for everything that other tools deploy at a target, now and from now on')
      .option('--namespace <name>', 'only this namespace; may be repeated', namespaces)
      .option('--selector <labels>', 'only what has these labels, such as app=web')
      .option('--ask-apps', 'let the agent send requests to the ports of the apps')
      .option('--stop', 'observe nothing there any more')
      .action(async (target: string, options: ObserveOptions) =>
        (await import('./targets.ts')).observeTarget(target, options),
      ),
    ['evident observe prod', 'all namespaces that its agent may read'],
    ['evident observe prod --namespace shop --selector app=web', ''],
    ['evident observe prod --stop', ''],
  );
}

function addStore(program: Command): void {
  const form = () =>
    new Option('-o, --output <form>', 'the format').choices(['table', 'json']).default('table');
  withExamples(
    withOutput(program.command('model'))
      .description('print the status model: what each state means, what proves it, what can repair it')
      .option('--check', 'verify the model, and that its page in docs/ is fresh')
      .addOption(new Option('--write-page', 'write the page').hideHelp())
      .action(async (options: ModelOptions) => (await import('./model.ts')).runModel(options)),
    ['evident model', ''],
  );
  withExamples(
    withStoreOptions(program.command('rebuild'))
      .description('recompute facts and transitions from the ledger, and replace what differs')
      .option('--check', 'only compare, byte for byte: exit 1 and a list if anything differs')
      .addOption(form())
      .action(async (options: RebuildFlags) => (await import('./rebuild.ts')).runRebuild(options)),
    ['evident rebuild --check', 'with the server stopped'],
  );
  withExamples(
    withOutput(withStoreOptions(program.command('recovered')))
      .description(
        'say that the database was restored: nothing that was lost is believed, each service is unknown until seen',
      )
      .requiredOption('--reason <text>', 'what was restored, and from when; kept in the ledger', reasonOf)
      .action(async (options: RecoveredOptions) => (await import('./recovered.ts')).runRecovered(options)),
    ['evident recovered --reason "backup of 03:00"', 'with the server stopped'],
  );
  withExamples(
    withStoreOptions(program.command('archive'))
      .description('move what is old out of the store, as NDJSON')
      .option('--before <date>', 'what happened before it may move out (90 days ago)', instantOf)
      .option(
        '--keep-revisions <n>',
        'how many of the newest revisions of each service stay, however old',
        countOf,
        50,
      )
      .option(
        '-o, --output <file>',
        'append to a file outside the data directory (else to standard output, which must be one)',
      )
      .option('--export-only', 'hand over what would move out, and take nothing away')
      .action(async (options: ArchiveFlags) => (await import('./archive.ts')).runArchive(options)),
    ['evident archive --export-only > old.ndjson', 'look first'],
    ['evident archive -o old.ndjson', 'written, then taken away'],
  );
}

/** Options of `agent` that `agent install` takes too. commander leaves those of a parent out of the help. */
const GIVEN_TO_INSTALL: ReadonlySet<string | undefined> = new Set([
  '--target',
  '--namespace',
  '--default-namespace',
  '--deploy',
  '--server',
  '--token',
]);

const optionsOfInstall = (agent: Command, install: Command): Option[] => [
  ...agent.options.filter(({ long }) => GIVEN_TO_INSTALL.has(long)),
  ...new Help().visibleOptions(install),
];
