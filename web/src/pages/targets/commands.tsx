import { Link } from 'wouter';
import type { CommandView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { lapsed, leaseUntil, NOTHING_WAITS } from '../../../../src/contract/presentation/fleet.ts';
import { limitWords } from '../../../../src/contract/presentation/limit-words.ts';
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
            <th scope="col">Limit</th>
            <th scope="col" className="age">
              Since
            </th>
          </tr>
        </thead>
        <ManyRows
          count={commands.length}
          keyOf={(i) => commands[i]?.command ?? String(i)}
          rowPx={COMMAND_PX}
          columns={6}
          row={(i, measured) => {
            const command = commands[i];
            if (command === undefined) return null;
            const claim = claimOf(command, claims);
            const limit = claim === null || age.serverNow === null ? null : limitWords(claim, age.serverNow);
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
                  {claim === null ? <span className="soft">its page says</span> : titleAndMore(claim)}
                  {gaveUp !== null && <b className="tone-degraded"> {gaveUp}</b>}
                </td>
                <td data-label="holder">
                  {holder === null ? (
                    <span className="soft">nobody</span>
                  ) : (
                    <>
                      {holder.worker}{' '}
                      <span className="soft">
                        {leaseUntil(holder.until, age.isOld ? null : age.serverNow)}
                      </span>
                    </>
                  )}
                </td>
                <td data-label="limit">{limit ?? <span className="soft">–</span>}</td>
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

/** The claim about this attempt; null where it is about another, or was not read. */
function claimOf(
  { service, revision, attempt }: CommandView,
  claims: ReadonlyMap<string, Claim>,
): Claim | null {
  const claim = claims.get(service);
  return claim?.desired.revision === revision && claim.desired.attempt === attempt ? claim : null;
}
