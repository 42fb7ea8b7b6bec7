import { useState } from 'react';
import type { TokenView } from '../../../../src/contract/answers/views.ts';
import { ahead, longAgo } from '../../../../src/contract/presentation/times.ts';
import { bindingOf, endsWith, tokenStanding } from '../../../../src/contract/presentation/tokens.ts';
import { remove } from '../../api.ts';
import type { Look } from '../../live/look.ts';
import { Asking } from '../../parts/asking.tsx';
import { Since } from '../../parts/since.tsx';
import { Standing } from '../../parts/standing.tsx';
import type { Session } from '../../session.ts';

interface Props {
  readonly tokens: readonly TokenView[];
  readonly look: Look;
  readonly session: Session;
  readonly onChanged: () => void;
}

/** Valid tokens, newest first; ended ones are folded away below. */
export function TokenList({ tokens, look, session, onChanged }: Props) {
  const [asked, setAsked] = useState<TokenView | null>(null);
  const newest = [...tokens].reverse();
  const isGood = (token: TokenView) => tokenStanding(token, look.there ?? 0) === 'valid';
  const ended = newest.filter((token) => !isGood(token));
  return (
    <>
      <Rows title="Tokens" tokens={newest.filter(isGood)} look={look} onRevoke={setAsked} />
      {ended.length > 0 && (
        <details className="gone">
          <summary>{ended.length} revoked or expired</summary>
          <Rows title="Tokens that have ended" tokens={ended} look={look} onRevoke={null} />
        </details>
      )}
      {asked !== null && (
        <Asking
          question={{
            title: `Revoke ${asked.role} ${asked.name}?`,
            yes: 'Revoke',
            text: `${endsWith(asked.role)} It cannot be undone.`,
            stale: asked.name === session.name ? 'You are signed in with a token of this name.' : null,
          }}
          mayForce
          onAnswer={async () => {
            await remove(`/v1/tokens/${asked.id}`);
            onChanged();
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}

interface RowsProps {
  readonly title: string;
  readonly tokens: readonly TokenView[];
  readonly look: Look;
  readonly onRevoke: ((token: TokenView) => void) | null;
}

function Rows({ title, tokens, look, onRevoke }: RowsProps) {
  return (
    <table className="rows">
      <caption className="unseen">{title}</caption>
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col">Name</th>
          <th scope="col">Role</th>
          <th scope="col">Bound to</th>
          <th scope="col">Created</th>
          <th scope="col">{onRevoke === null ? 'Ended' : 'Expires'}</th>
          <th scope="col">Last used</th>
          {onRevoke !== null && (
            <th scope="col">
              <span className="unseen">Revoke</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={token.id} data-token={token.id}>
            <td>
              <TokenState token={token} look={look} />
            </td>
            <th scope="row" title={token.id}>
              {token.name}
            </th>
            <td data-label="role">{token.role}</td>
            <td data-label="bound to">{bindingOf(token)}</td>
            <td data-label="created">
              <Since at={token.createdAt} look={look} isRough />
            </td>
            <td data-label={onRevoke === null ? 'ended' : 'expires'}>
              <End token={token} look={look} />
            </td>
            <td data-label="last used">
              <Since at={token.lastUsedAt} look={look} isRough />
            </td>
            {onRevoke !== null && (
              <td className="do">
                <button type="button" aria-label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
                  Revoke
                </button>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function TokenState({ token, look }: { readonly token: TokenView; readonly look: Look }) {
  const standing = tokenStanding(token, look.there ?? 0);
  // A revoked or expired token stays so, however old the answer; a valid one needs the current time.
  const isOld = standing === 'valid' && (look.isOld || look.there === null);
  return (
    <Standing presence={standing} isOld={isOld}>
      {standing}
    </Standing>
  );
}

function End({ token, look }: { readonly token: TokenView; readonly look: Look }) {
  const end = token.revokedAt ?? token.expiresAt;
  if (end === null) return <>never</>;
  const ms = look.there === null ? null : Date.parse(end) - look.there;
  return (
    <time dateTime={end} title={end}>
      {ms === null ? '…' : ms > 0 ? ahead(ms) : longAgo(-ms)}
    </time>
  );
}
