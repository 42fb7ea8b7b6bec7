import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RequestedOrigin } from '../../client/people.ts';
import type { ActionAnswer } from '../../contract/answers/views.ts';
import type { Git } from '../../contract/intent.ts';
import { bytes } from '../../contract/presentation/times.ts';
import type { ConfigurationChange } from '../../contract/spec-fields.ts';
import { type CliContext, type ContextOptions, inContext } from '../context.ts';
import { UsageError } from '../print-problem.ts';
import { printAccepted, type WaitOptions, waitFor } from '../proof/wait.ts';
import { effectLines, printDryRun } from '../verbs/show-effect.ts';
import { pack } from './archive.ts';
import { readEvidentFile } from './evident-file.ts';
import { type Folder, readFolder } from './folder.ts';
import { deploymentForm } from './form.ts';
import { gitOf } from './git.ts';
import { checkTarget } from './known-target.ts';
import { serviceNameOf } from './service-name.ts';
import { type SettingOptions, specWith } from './settings.ts';
import { UploadLine } from './upload-line.ts';

export interface DeployOptions extends ContextOptions, SettingOptions, WaitOptions {
  readonly service?: string;
  readonly image?: string;
  readonly artifact?: string;
  readonly observe?: boolean;
  readonly detach?: boolean;
  readonly dryRun?: boolean;
  readonly newTarget?: boolean;
}

/**
 * `evident deploy`: deploys a folder, an image or an artifact, or observes a service that another tool
 * deploys.
 */
export function runDeploy(folder: string | undefined, options: DeployOptions): Promise<void> {
  return inContext(options, options.service ?? null, async (context) => {
    const dir = resolve(folder ?? '.');
    const named = namedOf(options);
    if (named !== null && folder !== undefined && !isFolder(dir))
      throw new UsageError(`${folder} is no folder that could hold an evident.yaml.`);
    if (named === null && !isFolder(dir))
      throw new UsageError(
        `There is no folder ${folder ?? dir}. Name the folder of your app, or an --image.`,
      );
    const file = readEvidentFile(dir);
    const { ref, note } = serviceNameOf(options.service, file, dir);
    const spec = specWith(file.spec, options);
    // A folder without a file declares nothing: what its last file said goes with the file.
    const declared = file.declared ?? (named === null ? [] : null);
    const change = { spec, ...(declared === null ? {} : { declared: [...declared] }) };
    const git = await gitOf(dir);
    if (note !== null) context.note(note);
    if (options.newTarget !== true && options.observe !== true)
      checkTarget(ref, await context.people.targets());
    context.onInterrupt = `Nothing was deployed, unless it had just been sent. See: evident status ${ref}`;
    if (options.dryRun) {
      const planned = await context.people.deployNamed(ref, named ?? { source: true }, change, git, true);
      return printDryRun(context, planned, `This would make r${planned.revision} of ${planned.service}.`);
    }
    const acted =
      named === null
        ? await deployFolder(context, ref, dir, change, git)
        : await context.people.deployNamed(ref, named, change, git);
    for (const line of effectLines(acted)) context.note(line);
    return options.detach ? printAccepted(context, acted) : waitFor(context, acted, options);
  });
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
  ref: string,
  dir: string,
  change: ConfigurationChange,
  git: Git | null,
): Promise<ActionAnswer> {
  const folder = read(dir);
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

function read(dir: string): Folder {
  let folder: Folder;
  try {
    folder = readFolder(dir);
  } catch (error) {
    throw new UsageError(`The folder cannot be read: ${(error as Error).message}`);
  }
  if (folder.files.length === 0)
    throw new UsageError(
      `There is nothing to deploy in ${dir}: no file that is not left out by .gitignore or .evidentignore.`,
    );
  return folder;
}
