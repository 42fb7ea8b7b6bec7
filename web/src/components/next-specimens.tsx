import '../styles/service.css';
import '../styles/case-file.css';
import type { ReactNode } from 'react';
import { unseenLine } from '../../../src/contract/presentation/confirmation.ts';
import { OtherActions } from '../pages/service/next/other-actions.tsx';
import { SafeStep, type Way } from '../pages/service/next/safe-step.tsx';
import type { Specimen } from './specimen.ts';

const rollback: Way = {
  label: 'Roll back to r41',
  note: 'Restores the artifact and the configuration of r41. Nothing is built.',
};
const served: Way = {
  label: 'Roll back to r41',
  note: 'Gives up r42: a new revision with the code and configuration of r41 takes its place, on 3 copies. r41 serves until then.',
};
const setsIt: Way = {
  label: 'Set DATABASE_URL',
  note: 'The log names DATABASE_URL, which r42 does not have.',
  href: '/services/checkout@prod/configuration',
};
const looks: Way = { label: 'Look at target edge', note: '', href: '/targets?target=edge' };
const again = 'Retrying does no harm, but will fail the same way.';

const InRail = ({ children }: { readonly children: ReactNode }) => (
  <div className="card case-file" style={{ width: 372 }}>
    <section>
      <div className="actions">{children}</div>
    </section>
  </div>
);

/** What is safe next, in each of its forms: the sentence above names what the button does. */
export const NEXT_SPECIMENS: readonly Specimen[] = [
  {
    name: 'safe-step',
    content: (
      <>
        <InRail>
          <SafeStep
            lead={`Your move, no hurry while r41 serves: set DATABASE_URL and deploy again. ${again}`}
            first={setsIt}
            line={null}
            second={served}
          />
        </InRail>
        <InRail>
          <SafeStep
            lead={`Your move: roll back to r41, or fix it and deploy again. ${again}`}
            first={rollback}
            line={null}
            second={null}
          />
        </InRail>
        <InRail>
          <SafeStep
            lead={`Your move, no hurry while r41 serves: fix it and deploy again. ${again}`}
            first={null}
            line="evident deploy --service checkout@prod"
            second={served}
          />
        </InRail>
        <InRail>
          <SafeStep
            lead="Your move as an operator: bring edge back online."
            first={looks}
            line={null}
            second={null}
          />
        </InRail>
        <InRail>
          <SafeStep lead="Nothing to do." first={null} line={null} second={null} />
        </InRail>
      </>
    ),
  },
  {
    name: 'other-actions',
    content: (
      <div className="card case-file" style={{ width: 372 }}>
        <OtherActions
          configuration="/services/checkout@prod/configuration"
          warning={unseenLine('kiosk@edge', { of: 'target', since: null })}
          onAsk={() => {}}
          buttons={[
            { action: 'restart', label: 'Restart r42', whyNot: null, forcible: null, isNext: false },
            { action: 'scale', label: 'Scale', whyNot: null, forcible: null, isNext: false },
            {
              action: 'teardown',
              label: 'Tear down',
              whyNot: null,
              forcible: 'It is unknown.',
              isNext: false,
            },
          ]}
        />
      </div>
    ),
  },
];
