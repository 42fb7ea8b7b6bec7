import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Page } from '../../../../../src/contract/answers/views.ts';
import type { DeliveryView } from '../../../../../src/contract/answers/webhooks.ts';
import { clockTime, dayBefore } from '../../../../../src/contract/presentation/times.ts';
import { get, post } from '../../../api.ts';
import { inWords } from '../../../parts/confirm-dialog.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { Quiet } from '../../../parts/quiet.tsx';
import { ReadFailed } from '../../../parts/read-failed.tsx';

const NEWEST = 20;
const OFTEN_MS = 2_000;
const SELDOM_MS = 10_000;

interface Props {
  readonly webhook: string;
  readonly waiting: number;
  readonly onChanged: () => void;
}

/** The newest deliveries of a webhook, folded away until somebody wants to know. */
export function Deliveries({ webhook, waiting, onChanged }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="gone" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The newest deliveries</summary>
      {isOpen && <Newest webhook={webhook} waiting={waiting} onChanged={onChanged} />}
    </details>
  );
}

function Newest({ webhook, waiting, onChanged }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const path = `/v1/webhooks/${webhook}/deliveries`;
  const list = useQuery({
    queryKey: ['deliveries', webhook],
    queryFn: ({ signal }) => get<Page<DeliveryView>>(`${path}?limit=${NEWEST}`, signal),
    refetchInterval: waiting > 0 ? OFTEN_MS : SELDOM_MS,
  });
  if (list.data === undefined)
    return list.error === null ? (
      <Quiet>Reading deliveries …</Quiet>
    ) : (
      <ReadFailed what="The list" error={list.error} onAgain={() => void list.refetch()} />
    );
  if (list.data.items.length === 0) return <Quiet>Nothing was sent yet. Test it.</Quiet>;
  const again = (id: string) =>
    post(`${path}/${id}/redeliver`)
      .then(() => setProblem(null))
      .catch((error: Error) => setProblem(inWords(error)))
      .finally(() => {
        void list.refetch();
        onChanged();
      });
  return (
    <>
      <table className="rows">
        <caption className="visually-hidden">Deliveries</caption>
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Event</th>
            <th scope="col">About</th>
            <th scope="col">Tries</th>
            <th scope="col">Last</th>
            <th scope="col">Next</th>
            <th scope="col">
              <span className="visually-hidden">Send again</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.data.items.map((delivery) => (
            <Row key={delivery.id} delivery={delivery} onAgain={() => void again(delivery.id)} />
          ))}
        </tbody>
      </table>
      <p role="alert" className="tone-failed">
        {problem}
      </p>
    </>
  );
}

function Row({ delivery, onAgain }: { readonly delivery: DeliveryView; readonly onAgain: () => void }) {
  const { id, state, event, about, tries, lastTryAt, nextTryAt, problem } = delivery;
  return (
    <tr>
      <td data-label="State" className={state === 'dead' ? 'tone-failed' : undefined}>
        {state}
      </td>
      <td data-label="Event">{event}</td>
      <td data-label="About">{about}</td>
      <td data-label="Tries">{tries}</td>
      <td data-label="Last">
        <When at={lastTryAt} /> {problem}
      </td>
      <td data-label="Next">
        <When at={nextTryAt} />
      </td>
      <td className="do">
        {(state === 'dead' || state === 'delivered') && (
          <button type="button" aria-label={`Send ${id} again`} onClick={onAgain}>
            Send again
          </button>
        )}
      </td>
    </tr>
  );
}

function When({ at }: { readonly at: string | null }) {
  if (at === null) return <>–</>;
  return (
    <Moment at={at}>
      {dayBefore(at, Date.now())}
      {clockTime(at)}
    </Moment>
  );
}
