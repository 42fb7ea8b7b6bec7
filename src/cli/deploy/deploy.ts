import { statSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import type { RequestedOrigin } from '../../client/people.ts';
import type { ActionAnswer } from '../../contract/answers/views.ts';
import type { Git } from '../../contract/intent.ts';
import { secretAdvice } from '../../contract/presentation/looks-secret.ts';
import { bytes } from '../../contract/presentation/times.ts';
import type { ConfigurationChange } from '../../contract/spec-fields.ts';
import { type CliContext, type ContextOptions, inContext } from '../context.ts';
import { printProblem, UsageError } from '../print-problem.ts';
import { worstOf } from '../proof/exit-code.ts';
import { printAccepted, type WaitOptions, waitFor } from '../proof/wait.ts';
import { effectLines, printDryRun } from '../verbs/show-effect.ts';
import { pack } from './archive.ts';
import { chosenServices } from './chosen-services.ts';
import { type EvidentService, FILES, readEvidentFile } from './evident-file.ts';
import { type Folder, readFolder } from './folder.ts';
import { deploymentForm } from './form.ts';
import { gitOf } from './git.ts';
import { checkTarget } from './known-target.ts';
import { serviceNameOf } from './service-name.ts';
import { type SettingOptions, specWith } from './settings.ts';
import { UploadLine } from './upload-line.ts';
import { workspaceOf } from './workspace.ts';

export interface DeployOptions extends ContextOptions, SettingOptions, WaitOptions {
  readonly service?: string;
  readonly config?: string;
  readonly root?: string;
  readonly image?: string;
  readonly artifact?: string;
  readonly observe?: boolean;
  readonly detach?: boolean;
  readonly dryRun?: boolean;
  readonly newTarget?: boolean;
}

/** One deployment as it is sent: which service, from which bytes, with which configuration. */
interface PlannedDeploy {
  readonly ref: string;
  readonly dir: string;
  readonly named: RequestedOrigin | null;
  readonly change: ConfigurationChange;
  /** A file of the folder that must not count, because another was named in its place. */
  readonly without: readonly string[];
}

/**
 * `evident deploy`: deploys a folder, an image or an artifact, or observes a service that another tool
 * deploys. A file that describes several services deploys each of them.
 */
export function runDeploy(folder: string | undefined, options: DeployOptions): Promise<void> {
  return inContext(options, options.service ?? null, async (context) => {
    const dir = resolve(folder ?? '.');
    const named = namedOf(options);
    if (named !== null && folder !== undefined && !isFolder(dir))
      throw new UsageError(`${folder} is not a folder.`);
    if (named === null && !isFolder(dir)) throw new UsageError(noFolder(folder ?? dir));
    const file = readEvidentFile(dir, options.config ?? null);
    const chosen = chosenServices(file, options);
    const planned = chosen.map((service) => plan(context, dir, service, named, options));
    if (options.newTarget !== true && options.observe !== true) {
      const targets = await context.people.targets();
      for (const { ref } of planned) checkTarget(ref, targets);
    }
    const [only] = planned;
    return planned.length === 1 && only !== undefined
      ? settle(context, await request(context, only, options), options)
      : deployAll(context, planned, options);
  });
}

/** Somebody who names a service of the file in place of a folder is told how to. */
function noFolder(folder: string): string {
  const there = `No folder ${folder}.`;
  const isService = readEvidentFile(resolve('.'), null).services.some(({ name }) => name === folder);
  return isService
    ? `${there} To deploy the service of that name: evident deploy --service ${folder}`
    : `${there} Name the folder of your app, or an --image.`;
}

function plan(
  context: CliContext,
  dir: string,
  service: EvidentService,
  named: RequestedOrigin | null,
  options: DeployOptions,
): PlannedDeploy {
  const root = options.root ?? service.root;
  const app = root === null ? dir : resolve(dir, root);
  if (named === null && !isFolder(app)) throw new UsageError(`No folder ${root} in ${dir}.`);
  const { ref, note } = serviceNameOf(options.service, service, app);
  if (note !== null) context.note(note);
  const workspace = named === null ? workspaceOf(app, process.getuid?.() ?? 0) : null;
  if (workspace !== null)
    context.note(`${workspace.root} is a package of the workspace ${workspace.top}, which is sent whole.`);
  const place = workspace === null ? {} : { root: workspace.root };
  const spec = { ...specWith(service.spec, options), ...place };
  // A folder without a file declares nothing: what its last file said goes with the file.
  const declared = service.declared ?? (named === null ? [] : null);
  const change = { spec, ...(declared === null ? {} : { declared: [...declared, ...Object.keys(place)] }) };
  const without = options.config === undefined ? [] : FILES;
  return {
    ...{ ref, named, change, dir: workspace?.top ?? app },
    without: without.map((file) => posix.join(workspace?.root ?? '', file)),
  };
}

async function request(
  context: CliContext,
  deployment: PlannedDeploy,
  options: DeployOptions,
): Promise<ActionAnswer> {
  const { ref, dir, named, change } = deployment;
  const git = await gitOf(dir);
  context.onInterrupt = `Nothing was deployed, unless it had just been sent. See: evident status ${ref}`;
  if (options.dryRun) return context.people.deployNamed(ref, named ?? { source: true }, change, git, true);
  const acted =
    named === null
      ? await deployFolder(context, deployment, git)
      : await context.people.deployNamed(ref, named, change, git);
  for (const line of effectLines(acted)) context.note(line);
  const advice = secretAdvice(change.spec?.env ?? {});
  if (advice !== null) context.note(advice);
  return acted;
}

function settle(context: CliContext, acted: ActionAnswer, options: DeployOptions): Promise<number> {
  if (options.dryRun)
    return printDryRun(context, acted, `This would make r${acted.revision} of ${acted.service}.`);
  return options.detach ? printAccepted(context, acted) : waitFor(context, acted, options);
}

/**
 * Deploys several services, each with its own outcome: a refusal of one does not keep the others from being deployed. All
 * are requested before the first is waited for, so that workers build them side by side.
 */
async function deployAll(
  context: CliContext,
  deployments: readonly PlannedDeploy[],
  options: DeployOptions,
): Promise<number> {
  const codes: number[] = [];
  const attempted = async <T>(ref: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      context.signal.throwIfAborted();
      if (context.forPeople) process.stderr.write(`${ref}: `);
      codes.push(printProblem(error, context.format, ref));
      return null;
    }
  };
  const requested: ActionAnswer[] = [];
  for (const one of deployments) {
    const acted = await attempted(one.ref, () => request(context, one, options));
    if (acted !== null) requested.push(acted);
  }
  for (const acted of requested) {
    const code = await attempted(acted.service, () => settle(context, acted, options));
    if (code !== null) codes.push(code);
  }
  return worstOf(codes);
}

function namedOf({ image, artifact, observe }: DeployOptions): RequestedOrigin | null {
  const named: RequestedOrigin[] = [];
  if (image !== undefined) named.push({ image });
  if (artifact !== undefined) named.push({ artifact });
  if (observe) named.push({ observe: true });
  if (named.length > 1) throw new UsageError('Name one of --image, --artifact and --observe, not several.');
  return named[0] ?? null;
}

const isFolder = (dir: string) => statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true;

async function deployFolder(
  context: CliContext,
  { ref, dir, change, without }: PlannedDeploy,
  git: Git | null,
): Promise<ActionAnswer> {
  const folder = read(dir, without);
  for (const line of folder.leftOut) context.note(`left out: ${line}`);
  const line = new UploadLine(context);
  const archive = await pack(
    folder,
    (done) => line.show('packing', done, folder.bytes),
    context.signal,
  ).catch((error: unknown) => {
    context.signal.throwIfAborted();
    throw new UsageError(`The folder could not be packed: ${(error as Error).message}`);
  });
  try {
    const acted = await context.people.deploySource(ref, () =>
      deploymentForm(change, git, archive.bytes(), (sent) => line.show('sending', sent, archive.size)),
    );
    line.clear();
    context.note(
      `sent ${folder.files.length} ${folder.files.length === 1 ? 'file' : 'files'}, ${bytes(archive.size)} packed, ${archive.digest.slice(0, 19)}…`,
    );
    return acted;
  } finally {
    line.clear();
    await archive.remove();
  }
}

function read(dir: string, without: readonly string[]): Folder {
  let folder: Folder;
  try {
    folder = readFolder(dir, without);
  } catch (error) {
    throw new UsageError(`The folder cannot be read: ${(error as Error).message}`);
  }
  if (folder.files.length === 0)
    throw new UsageError(
      `There is nothing to deploy in ${dir}: no file that is not left out by .gitignore or .evidentignore.`,
    );
  return folder;
}
