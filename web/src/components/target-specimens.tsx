import '../styles/rows.css';
import '../styles/targets.css';
import { Gone } from '../pages/targets/gone.tsx';
import { TargetRow } from '../pages/targets/target-row.tsx';
import { TargetsHead } from '../pages/targets/targets-head.tsx';
import { WithoutAgent } from '../pages/targets/without-agent.tsx';
import { SAMPLE_FENCED, SAMPLE_TARGETS } from './sample-targets.ts';
import type { Specimen } from './specimen.ts';

const Rows = ({ of }: { readonly of: readonly (keyof typeof SAMPLE_TARGETS)[] }) => (
  <div className="sheet">
    <table className="targets">
      <TargetsHead />
      {of.map((name) => (
        <TargetRow key={name} {...SAMPLE_TARGETS[name]} onToggle={() => {}} measured={{}} />
      ))}
    </table>
  </div>
);

/** A target's row, closed and open, and what stands in its place. */
export const TARGET_SPECIMENS: readonly Specimen[] = [
  { name: 'target-rows', isWide: true, content: <Rows of={['closed', 'opened']} /> },
  { name: 'target-troubled', isWide: true, content: <Rows of={['troubled']} /> },
  { name: 'target-silent', isWide: true, content: <Rows of={['silent']} /> },
  { name: 'target-lost-server', isWide: true, content: <Rows of={['lostServer']} /> },
  {
    name: 'targets-without-agent',
    isWide: true,
    content: (
      <>
        <Rows of={['withoutAgent']} />
        <div className="sheet">
          <table className="targets">
            <TargetsHead />
            <WithoutAgent targets={['forge', 'lab', 'shop']} isOpen={false} onToggle={() => {}} />
          </table>
        </div>
      </>
    ),
  },
  {
    name: 'targets-gone',
    isWide: true,
    content: <Gone fenced={SAMPLE_FENCED} offline={[]} age={SAMPLE_TARGETS.closed.age} />,
  },
  {
    name: 'phone-target-silent',
    frame: { width: 360, height: 900 },
    content: (
      <main>
        <Rows of={['silent']} />
      </main>
    ),
  },
];
