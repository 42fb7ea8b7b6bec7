import { Link } from 'wouter';
import type { CommandView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { lapsed, leaseLeft, NOTHING_WAITS } from '../../../../src/contract/presentation/fleet.ts';
import { titleAndMore } from '../../../../src/contract/presentation/moves.ts';
import { useView } from '../../live/live.ts';
import type { Age } from '../../live/polled.ts';
import { ManyRows } from '../../parts/many-rows.tsx';
import { Since } from '../../parts/since.tsx';

interface Props {
  readonly commands: readonly CommandView[];
  readonly age: Age;
}

/** As most of them are drawn. */
const COMMAND_PX = 41;

/** Waiting commands with the reason, longest waiting first, in the order of the server. */
export function Commands({ commands, age }: Props) {
  const { claims } = useView();
  if (commands.length === 0)
    return <p className="soft">{age.isOld ? `When last read: ${NOTHING_WAITS}` : NOTHING_WAITS}</p>;
  return (
    <div className="sheet">
      <table className="rows commands">
        <caption className="visually-hidden">Commands that are not over</caption>
        <thead>
          <tr>
            <th scope="col">Command</th>
            <th scope="col">Waits for</th>
            <th scope="col">Why</th>
            <th scope="col">Holder</th>
            <th scope="col" className="age">
              Since
            </th>
          </tr>
        </thead>
        <ManyRows
          count={commands.length}
          keyOf={(i) => commands[i]?.command ?? String(i)}
          rowPx={COMMAND_PX}
          columns={5}
          row={(i, measured) => {
            const command = commands[i];
            if (command === undefined) return null;
            const why = whyOf(command, claims.get(command.service));
            const { holder } = command;
            const gaveUp = lapsed(command.lapses);
            return (
              <tr key={command.command} {...measured} data-command={command.command}>
                <th scope="row">
                  {command.kind} <Link href={`/services/${command.service}`}>{command.service}</Link>{' '}
                  <span className="mono soft">
                    r{command.revision}.{command.attempt}
                  </span>
                </th>
                <td data-label="waits for">
                  {command.waitsFor} <span className="soft">{command.state}</span>
                </td>
                <td className="why">
                  {why ?? <span className="soft">its page says</span>}
                  {gaveUp !== null && <b className="tone-degraded"> {gaveUp}</b>}
                </td>
                <td data-label="holder">
                  {holder === null ? (
                    <span className="soft">nobody</span>
                  ) : (
                    <>
                      {holder.worker}{' '}
                      <span className="soft">
                        {leaseLeft(holder.until, age.isOld ? null : age.serverNow)}
                      </span>
                    </>
                  )}
                </td>
                <td className="age">
                  <Since at={command.since} age={age} />
                </td>
              </tr>
            );
          }}
        />
      </table>
    </div>
  );
}

/** The claim's own sentence, if the claim is about this attempt. */
function whyOf({ revision, attempt }: CommandView, claim: Claim | undefined): string | null {
  if (claim === undefined || claim.desired.revision !== revision || claim.desired.attempt !== attempt)
    return null;
  return titleAndMore(claim);
}
