import type { ServiceView } from '../../../../../src/contract/answers/views.ts';
import { isPlainObject } from '../../../../../src/contract/plain-object.ts';
import { settingName, settingValue } from '../../../../../src/contract/presentation/settings.ts';

interface Props {
  readonly spec: ServiceView['spec'];
  /** With the fields that a form edits beside. */
  readonly isWhole: boolean;
}

const EDITED: ReadonlySet<string> = new Set(['env', 'replicas', 'concurrency']);

/** Fields that a file or the command line sets: shown, and not edited here. */
export function FixedFields({ spec, isWhole }: Props) {
  const fields = Object.entries(spec)
    .filter(([name]) => isWhole || !EDITED.has(name))
    .flatMap(([name, value]) => leavesOf(name, value));
  const list = (
    <dl className="fixed-fields">
      {fields.map(([name, value]) => (
        <div key={name}>
          <dt>{settingName(name)}</dt>
          <dd className="mono">{settingValue(name, value)}</dd>
        </div>
      ))}
    </dl>
  );
  if (isWhole) return list;
  return (
    <section className="card" aria-label="Set by a file or the command line">
      <h2>Set by a file or the command line</h2>
      {list}
    </section>
  );
}

function leavesOf(path: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (!isPlainObject(value) || 'secret' in value) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(`${path}.${name}`, inner));
}
