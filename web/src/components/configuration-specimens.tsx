import '../styles/service.css';
import '../styles/configuration.css';
import type { ServiceView } from '../../../src/contract/answers/views.ts';
import type { WorkloadView } from '../../../src/contract/presentation/workload.ts';
import { ConfigurationForm } from '../pages/service/configuration/configuration-form.tsx';
import { DeclaredThere } from '../pages/service/configuration/declared-there.tsx';
import { type ConfigurationDraft, draftOf } from '../pages/service/configuration/draft.ts';
import { FixedFields } from '../pages/service/configuration/fixed-fields.tsx';
import type { Specimen } from './specimen.ts';

const SPEC: ServiceView['spec'] = {
  command: ['node', 'dist/server.js'],
  ...{ port: 8080, replicas: 2, stabilityMs: 3_000 },
  env: { LOG_LEVEL: 'info', API_KEY: { secret: true }, TAX_TABLE: 'tax_rates_2026' },
};

const asItIs = draftOf(SPEC);
const edited: ConfigurationDraft = {
  replicas: '3',
  variables: [
    ...asItIs.variables
      .filter(({ name }) => name !== 'LOG_LEVEL')
      .map((one) => (one.name === 'TAX_TABLE' ? { ...one, value: 'tax_rates_2027' } : one)),
    { key: 7, name: 'DATABASE_URL', value: 'postgres://shop', isSecret: true, was: null },
    { key: 8, name: 'PAYMENT_TOKEN', value: 'tok_51Hx', isSecret: false, was: null },
  ],
};

const images = [{ container: 'app', image: 'shop/checkout:42' }];
const WORKLOAD: WorkloadView = {
  ...{ kind: 'Deployment', namespace: 'shop', name: 'checkout', managedBy: 'Argo CD (shop)' },
  ...{ fieldManager: 'argocd-controller', release: null, commit: null, images },
  declared: { replicas: 2, template: '5b8c', images },
  observed: { revision: 42, pods: 2, ready: 2, unknown: 0, otherPods: 0, digests: [], saidBy: ['kubelet'] },
};

interface Props {
  readonly draft: ConfigurationDraft;
  readonly isReviewed?: boolean;
  readonly problem?: string;
  readonly isBusy?: boolean;
}

const Form = ({ draft, isReviewed = false, problem, isBusy = false }: Props) => (
  <ConfigurationForm
    {...{ draft, isBusy, problem: problem ?? null, spec: SPEC }}
    service="checkout.shop@prod"
    revision={41}
    review={
      isReviewed
        ? {
            revision: 42,
            changes: [
              { field: 'env.DATABASE_URL', kind: 'added', to: { secret: true } },
              { field: 'env.LOG_LEVEL', kind: 'removed', from: 'info' },
              { field: 'env.TAX_TABLE', kind: 'changed', from: 'tax_rates_2026', to: 'tax_rates_2027' },
              { field: 'replicas', kind: 'changed', from: 2, to: 3 },
            ],
          }
        : null
    }
    onEdit={() => {}}
    onSubmit={() => {}}
  />
);

/** The configuration of a service: as it is, edited, compared, refused, and where somebody else sets it. */
export const CONFIGURATION_SPECIMENS: readonly Specimen[] = [
  { name: 'configuration-as-it-is', isWide: true, content: <Form draft={asItIs} /> },
  { name: 'configuration-edited', isWide: true, content: <Form draft={edited} /> },
  { name: 'configuration-reviewed', isWide: true, content: <Form draft={edited} isReviewed /> },
  {
    name: 'configuration-refused',
    isWide: true,
    content: (
      <Form draft={edited} isReviewed problem="r42 exists by now: somebody else deployed it at 14:27." />
    ),
  },
  { name: 'configuration-being-sent', isWide: true, content: <Form draft={edited} isReviewed isBusy /> },
  {
    name: 'configuration-fixed',
    content: (
      <section className="card" aria-label="Configuration">
        <FixedFields spec={SPEC} isWhole />
      </section>
    ),
  },
  {
    name: 'configuration-declared-there',
    content: <DeclaredThere past={null} workload={WORKLOAD} />,
  },
  {
    name: 'phone-configuration-edited',
    frame: { width: 360, height: 760 },
    content: (
      <main>
        <Form draft={edited} />
      </main>
    ),
  },
];
