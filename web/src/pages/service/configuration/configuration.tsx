import '../../../styles/configuration.css';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { isManagedElsewhere } from '../../../../../src/contract/actions.ts';
import type { ActionAnswer, ServiceView } from '../../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../../src/contract/claim.ts';
import type { WorkloadView } from '../../../../../src/contract/presentation/workload.ts';
import { newKey, post } from '../../../api.ts';
import { addClaims } from '../../../live/live.ts';
import { inWords } from '../../../parts/confirm-dialog.tsx';
import { useWholeRevision } from '../failure.ts';
import { useQueryParameter } from '../query-parameter.ts';
import { tabAddress } from '../tabs.ts';
import { ConfigurationForm } from './configuration-form.tsx';
import { DeclaredThere } from './declared-there.tsx';
import { type ConfigurationDraft, changeOf, draftOf } from './draft.ts';
import { FixedFields } from './fixed-fields.tsx';

interface Props {
  readonly service: string;
  readonly claim: Claim;
  readonly spec: ServiceView['spec'];
  /** The object of a cluster that it stands for, if it does: that has a configuration of its own, and no spec here. */
  readonly workload: WorkloadView | null;
  readonly mayAct: boolean;
  /** A past instant is shown: then the configuration is that of the revision that was wanted, and nothing changes it. */
  readonly isPast: boolean;
}

/** The configuration of a service: edited, compared, and deployed as a new revision. */
export function Configuration({ service, claim, spec, workload, mayAct, isPast }: Props) {
  // The safe step of a page whose log calls variables missing leads here with their names.
  const [missing] = useQueryParameter('set');
  const [draft, setDraft] = useState<ConfigurationDraft>(() => draftOf(spec, missing?.split(',')));
  const [review, setReview] = useState<ActionAnswer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [, navigate] = useLocation();
  const key = useRef(newKey());
  const change = changeOf(spec, draft);
  const path = `/v1/services/${service}/configuration`;
  const edit = (next: ConfigurationDraft) => {
    setDraft(next);
    setReview(null);
    setProblem(null);
    key.current = newKey();
  };
  const send = async (how: 'review' | 'deploy') => {
    setBusy(true);
    setProblem(null);
    try {
      if (how === 'review') setReview(await post<ActionAnswer>(`${path}?dryRun=true`, change));
      else {
        const { claim: after } = await post<ActionAnswer>(path, change, key.current);
        addClaims([after]);
        navigate(tabAddress(service, 'overview'));
      }
    } catch (error) {
      setProblem(inWords(error as Error));
    }
    setBusy(false);
  };
  const then = useWholeRevision(service, isPast ? claim.desired.revision : null);
  const shown = isPast ? then?.spec : spec;
  if (workload !== null)
    return (
      <DeclaredThere
        workload={workload}
        past={isPast ? { revision: claim.desired.revision, images: then?.provenance?.images ?? null } : null}
      />
    );
  if (isPast || !mayAct || isManagedElsewhere(claim.actions))
    return (
      <section className="card" aria-label="Configuration">
        <h2>Configuration</h2>
        <p className="soft">{whyFixed(isPast, mayAct, claim.desired.revision)}</p>
        {shown !== undefined && <FixedFields spec={shown} isWhole />}
      </section>
    );
  return (
    <ConfigurationForm
      {...{ service, spec, draft, review, problem, isBusy }}
      revision={claim.desired.revision}
      onEdit={edit}
      onSubmit={() => void send(review === null ? 'review' : 'deploy')}
    />
  );
}

function whyFixed(isPast: boolean, mayAct: boolean, revision: number): string {
  if (isPast)
    return `This is what r${revision} asked for. The past cannot be changed: go back to now to edit it.`;
  return mayAct ? 'The tool that deploys it configures it.' : 'Your token may read it, and not change it.';
}
