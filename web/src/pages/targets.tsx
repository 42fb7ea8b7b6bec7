import '../styles/rows.css';
import '../styles/targets.css';
import { useEffect, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { ago } from '../../../src/contract/presentation/times.ts';
import { claimViewOf, servedNow } from '../live/claim-view.ts';
import { useNow, useStream, useView } from '../live/live.ts';
import { useAge } from '../live/polled.ts';
import { BrokenItems } from '../parts/broken-items.tsx';
import { Icon } from '../parts/icon.tsx';
import { ManyRows } from '../parts/many-rows.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { OutdatedNotice } from '../parts/outdated-notice.tsx';
import { Quiet } from '../parts/quiet.tsx';
import { hasRoleAtLeast, type Session } from '../session.ts';
import { Commands } from './targets/commands.tsx';
import { byTarget } from './targets/counts.ts';
import { type Fleet, fleetLists } from './targets/fleet.ts';
import { Gone } from './targets/gone.tsx';
import { ReadTargetRow } from './targets/read-target-row.tsx';
import { useAllClaims, useFleet } from './targets/reading.ts';
import { heardSentence, targetRows } from './targets/target-rows.ts';
import { TargetsHead } from './targets/targets-head.tsx';
import { WithoutAgent } from './targets/without-agent.tsx';
import { Platform, Workers } from './targets/workers.tsx';

const TITLE = 'Targets';
/** A closed row, as most are. */
const TARGET_PX = 40;

/** Targets, builders and commands: who is heard, what is proven there, what waits, and what to do. */
export function TargetsPage({ session }: { readonly session: Session }) {
  useStream('/v1/events');
  useEffect(() => {
    document.title = `${TITLE} · Evident`;
  }, []);
  if (!hasRoleAtLeast(session, 'operator'))
    return <NotAllowed page={TITLE} needs="operator" session={session} />;
  return <FleetOverview session={session} />;
}

function FleetOverview({ session }: { readonly session: Session }) {
  const fleet = useFleet();
  const claims = useAllClaims();
  if (fleet.data === undefined)
    return (
      <>
        <h1>{TITLE}</h1>
        <Quiet>
          {fleet.error === null
            ? 'Reading targets, builders and commands …'
            : `${fleet.error.message} It is read again by itself.`}
        </Quiet>
      </>
    );
  return (
    <FleetContent
      fleet={fleet.data.data}
      hasClaims={claims.isSuccess}
      requestedAt={fleet.data.requestedAt}
      error={fleet.error}
      mayAdd={hasRoleAtLeast(session, 'admin')}
    />
  );
}

interface FleetProps {
  readonly fleet: Fleet;
  /** Every claim was read once. */
  readonly hasClaims: boolean;
  readonly requestedAt: number;
  readonly error: Error | null;
  readonly mayAdd: boolean;
}

function FleetContent({ fleet, hasClaims, requestedAt, error, mayAdd }: FleetProps) {
  const age = useAge(requestedAt);
  const view = useView();
  const now = useNow();
  // The page of a service leads to its target.
  const sought = new URLSearchParams(useSearch()).get('target');
  /** Rows that somebody opened or closed; the others are open where there is something to do. */
  const [chosen, choose] = useState<ReadonlyMap<string, boolean>>(new Map());
  const { workers, platform, fenced, offline } = fleetLists(fleet);
  const rows = targetRows(fleet);
  // Said once where several are so; the one that somebody looks for has its row.
  const mute = rows.filter(({ agent, target }) => agent === null && target !== sought);
  const isFolded = mute.length > 1;
  const [areShown, showMute] = useState(false);
  const listed = isFolded && !areShown ? rows.filter((row) => !mute.includes(row)) : rows;
  const services = byTarget(
    [...view.claims.values()].map((claim) => {
      const claimView = claimViewOf(claim, view, now);
      return { claim, claimView, ...servedNow(claim, claimView, view, now) };
    }),
  );
  return (
    <>
      <header className="page-head">
        <h1>{TITLE}</h1>
        <p className="mid">
          Agents pull work and report what runs. {age.isOld ? `As it was ${ago(age.agoMs)}: ` : ''}
          {heardSentence(rows)}
        </p>
        {mayAdd && (
          <Link href="/settings/tokens" className="button">
            <Icon name="plus" />
            Add target
          </Link>
        )}
      </header>
      <OutdatedNotice age={age} error={error} />
      <BrokenItems names={fleet.unreadable} />
      {rows.length === 0 ? (
        <div className="card open">
          <p>No agent has registered yet: nothing can be deployed, and nothing is seen.</p>
          <pre>evident agent --target TARGET</pre>
        </div>
      ) : (
        <div className="sheet">
          <table className="targets">
            <TargetsHead />
            {isFolded && (
              <WithoutAgent
                targets={mute.map(({ target }) => target)}
                isOpen={areShown}
                onToggle={showMute}
              />
            )}
            <ManyRows
              count={listed.length}
              keyOf={(i) => listed[i]?.target ?? String(i)}
              rowPx={TARGET_PX}
              columns={7}
              areBodies
              row={(i, measured) => {
                const row = listed[i];
                if (row === undefined) return null;
                const isDefault =
                  row.target === sought ? true : isFolded && row.agent === null ? false : null;
                return (
                  <ReadTargetRow
                    key={row.target}
                    row={row}
                    services={services.get(row.target) ?? (hasClaims ? [] : null)}
                    age={age}
                    isChosenOpen={chosen.get(row.target) ?? isDefault}
                    onToggle={(isOpen) => choose(new Map([...chosen, [row.target, isOpen]]))}
                    measured={measured}
                  />
                );
              }}
            />
          </table>
        </div>
      )}
      <section aria-label="Builders">
        <h2>Builders</h2>
        {workers.length === 0 ? (
          <p className="soft">
            No builder is online: nothing can be built. Start one: <code>evident worker</code>
          </p>
        ) : (
          <div className="sheet">
            <Workers title="Builders" workers={workers} age={age} />
          </div>
        )}
      </section>
      <section aria-label="Commands">
        <h2>What waits for whom</h2>
        <Commands commands={fleet.commands} age={age} />
      </section>
      <Platform parts={platform} age={age} />
      <Gone fenced={fenced} offline={offline} age={age} />
    </>
  );
}
