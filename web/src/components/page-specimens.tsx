import '../styles/case-file.css';
import { SafeStep } from '../pages/service/next/safe-step.tsx';
import { LivenessSign } from '../parts/liveness.tsx';
import { LostServer } from '../parts/not-live.tsx';
import { SAMPLE_NOW } from './sample-rows.ts';
import type { Specimen } from './specimen.ts';

const Top = ({ isLost }: { readonly isLost: boolean }) => (
  <header className="top">
    <span className="brand">
      <i aria-hidden="true" />
      Evident
    </span>
    <LostServer isLost={isLost} since={isLost ? SAMPLE_NOW - 40_000 : null} onTry={() => {}} />
    <LivenessSign isLive={!isLost} agoMs={isLost ? 40_000 : 400} />
  </header>
);

/** A service on a phone: its safe step lies a screen below what is wrong, or is in sight. */
const OnPhone = ({ abovePx }: { readonly abovePx: number }) => (
  <main>
    <p style={{ height: abovePx }}>r42 does not stay up. r41 still serves.</p>
    <div className="card case-file">
      <section className="safe-next">
        <div className="actions">
          <SafeStep
            lead="Your move, no hurry while r41 serves: set DATABASE_URL and deploy again."
            first={{ label: 'Set DATABASE_URL', note: '', href: '/services/checkout@prod/configuration' }}
            line={null}
            second={null}
          />
        </div>
      </section>
    </div>
  </main>
);

const PHONE = { width: 360, height: 300 };

/** Parts of the frame of every page, and what a phone makes of them. */
export const PAGE_SPECIMENS: readonly Specimen[] = [
  { name: 'top-live', isWide: true, content: <Top isLost={false} /> },
  { name: 'top-lost-server', isWide: true, frame: { width: 1206, height: 64 }, content: <Top isLost /> },
  { name: 'phone-lost-server', frame: PHONE, content: <Top isLost /> },
  { name: 'phone-first-button-below', frame: PHONE, content: <OnPhone abovePx={600} /> },
  { name: 'phone-first-button-in-sight', frame: PHONE, content: <OnPhone abovePx={40} /> },
];
