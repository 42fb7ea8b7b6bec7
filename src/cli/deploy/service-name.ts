import { basename } from 'node:path';
import { DEFAULT_TARGET, nameOf, SERVICE_NAME, serviceRef } from '../../contract/names.ts';
import { UsageError } from '../print-problem.ts';
import type { EvidentService } from './evident-file.ts';

const RULE = 'a name has lower-case letters, digits and hyphens, at most 40, and no hyphen at either end';

interface NamedService {
  readonly ref: string;
  /** Note for the person if the name was changed to be valid. */
  readonly note: string | null;
}

/** `--service`, else `name` in `evident.yaml`, else the folder's name, made valid. */
export function serviceNameOf(
  option: string | undefined,
  file: Pick<EvidentService, 'name' | 'target'>,
  dir: string,
): NamedService {
  const target = file.target ?? DEFAULT_TARGET;
  if (option !== undefined) return { ref: valid(option, target, '--service'), note: null };
  if (file.name !== null) return { ref: valid(file.name, target, 'name in evident.yaml'), note: null };
  const folder = basename(dir);
  const name = validNameOf(folder);
  if (name === null)
    throw new UsageError(
      `The folder’s name ${JSON.stringify(folder)} gives no name for a service. Name one with --service.`,
    );
  const ref = valid(name, target, 'the folder’s name');
  const note =
    name === folder
      ? null
      : `${JSON.stringify(folder)} is deployed as ${ref}. Choose another with --service, or name in evident.yaml.`;
  return { ref, note };
}

function valid(text: string, target: string, origin: string): string {
  const ref = serviceRef(text.includes('@') ? text : `${text}@${target}`);
  // A name with a dot is that of a workload which another tool deploys: the server says which.
  if (ref !== null && nameOf(ref).includes('.')) return ref;
  if (ref === null || !SERVICE_NAME.test(nameOf(ref)))
    throw new UsageError(
      `${JSON.stringify(text)} (${origin}) is not a service name: ${RULE}. Write name or name@target.`,
    );
  return ref;
}

function validNameOf(folder: string): string | null {
  const name = folder
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return name === '' ? null : name;
}
