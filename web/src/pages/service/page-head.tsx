import '../../styles/service-head.css';
import { Link } from 'wouter';
import { nameOf, targetOf } from '../../../../src/contract/names.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import { Badge } from '../../parts/badge.tsx';
import { Icon } from '../../parts/icon.tsx';
import { TABS, type Tab, tabAddress } from './tabs.ts';

interface Props {
  readonly service: string;
  readonly tab: Tab;
  /** Null while it is not known, or cannot be. */
  readonly claimView: ClaimView | null;
  /** The step at which it failed. */
  readonly label: string | null;
  readonly urls: readonly string[];
  /** The newest revision; null while it is not known. */
  readonly newest: number | null;
  /** The instant that is shown; null: now. */
  readonly at: string | null;
  readonly isMachineOpen: boolean;
  readonly onMachine: () => void;
}

const NAMES: Readonly<Record<Tab, string>> = {
  overview: 'Overview',
  evidence: 'Evidence',
  revisions: 'Revisions',
  logs: 'Logs',
  configuration: 'Configuration',
};

/** The name of a service, its state, its address, and the parts of its page. */
export function PageHead({
  service,
  tab,
  claimView,
  label,
  urls,
  newest,
  at,
  isMachineOpen,
  onMachine,
}: Props) {
  const target = targetOf(service);
  const [name = '', ...namespace] = nameOf(service).split('.');
  const rest = namespace.length === 0 ? '' : `.${namespace.join('.')}`;
  return (
    <header className="service-head">
      <nav className="crumbs" aria-label="Way here">
        <Link href="/">Services</Link>
        <Icon name="right" />
        <Link href={`/?target=${target}`}>{target}</Link>
        {namespace.length > 0 && (
          <>
            <Icon name="right" />
            <span>{namespace.join('.')}</span>
          </>
        )}
      </nav>
      <div className="title-bar">
        <h1>
          <span className="service-name">
            {name}
            <span className="soft">
              {rest}@{target}
            </span>
          </span>{' '}
          {claimView !== null && <Badge claimView={claimView} label={label} withAge isPast={at !== null} />}
        </h1>
        {urls.map((url) => (
          <a key={url} className="app-link" href={url} target="_blank" rel="noreferrer">
            {url.replace(/^https?:\/\//, '').replace(/\/$/, '')}
            <Icon name="out" />
          </a>
        ))}
        {/* Out of the past leads one way: back to now. */}
        {at === null && (
          <button type="button" className="machine-button" aria-expanded={isMachineOpen} onClick={onMachine}>
            <Icon name="clock" />
            Time machine
          </button>
        )}
      </div>
      <nav className="tabs" aria-label="Parts of this page">
        {TABS.map((one) => (
          <Link key={one} href={tabAddress(service, one, at)} aria-current={one === tab ? 'page' : undefined}>
            {NAMES[one]}
            {one === 'revisions' && newest !== null && <span className="soft"> {newest}</span>}
          </Link>
        ))}
      </nav>
    </header>
  );
}
