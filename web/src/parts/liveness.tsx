import { silenceMs } from '../../../src/contract/presentation/server-contact.ts';
import { ago } from '../../../src/contract/presentation/times.ts';
import { useNow, useView } from '../live/live.ts';

/** Says that the page hears its server, and how long ago it last did. */
export function Liveness() {
  const view = useView();
  const now = useNow();
  const silentMs = silenceMs(view, now);
  return <LivenessSign isLive={silentMs === null} agoMs={silentMs ?? now - view.contactAt} />;
}

/** It is the page that lives or does not: "not live" alone is read as the service being down. */
export const LivenessSign = ({ isLive, agoMs }: { readonly isLive: boolean; readonly agoMs: number }) => (
  <span className="liveness" data-live={isLive}>
    <i aria-hidden="true" />
    {isLive ? 'Live' : 'Page not live'} <span className="soft">{ago(agoMs).replace(' ago', '')}</span>
  </span>
);
