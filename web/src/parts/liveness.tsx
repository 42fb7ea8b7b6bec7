import { silenceMs } from '../../../src/contract/presentation/server-contact.ts';
import { ago } from '../../../src/contract/presentation/times.ts';
import { useNow, useView } from '../live/live.ts';

/** Says that the page hears its server, and how long ago it last did. */
export function Liveness() {
  const view = useView();
  const now = useNow();
  const silentMs = silenceMs(view, now);
  const age = ago(silentMs ?? now - view.contactAt).replace(' ago', '');
  return (
    <span className="liveness" data-live={silentMs === null}>
      <i aria-hidden="true" />
      {silentMs === null ? 'Live' : 'Not live'} <span className="soft">{age}</span>
    </span>
  );
}
