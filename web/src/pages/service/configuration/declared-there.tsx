import { declaredThere, type WorkloadView } from '../../../../../src/contract/presentation/workload.ts';

interface Props {
  readonly workload: WorkloadView;
  /** The revision that was wanted at the shown instant, and its images; null: now is shown. */
  readonly past: { readonly revision: number; readonly images: WorkloadView['images'] | null } | null;
}

/** What the object of a cluster declares, as far as Evident is told: its tool configures it, and nothing else is known. */
export function DeclaredThere({ workload, past }: Props) {
  const by = workload.managedBy ?? 'The tool that deploys it';
  const fields =
    past === null
      ? declaredThere(workload)
      : past.images === null
        ? []
        : declaredThere({ ...workload, images: past.images }, true);
  return (
    <section className="card" aria-label="Configuration">
      <h2>Configuration</h2>
      <p className="soft">
        {past === null
          ? `${by} configures it, at its target. This is what its object declares, as far as Evident is told: never its environment.`
          : `This is what is on record of r${past.revision}. ${by} configures it, at its target.`}
      </p>
      <dl className="fixed-fields">
        {fields.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="mono">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
