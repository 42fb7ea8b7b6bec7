import { useState } from 'react';
import type { TokenView } from '../../../../src/contract/answers/views.ts';
import { ahead, longAgo } from '../../../../src/contract/presentation/times.ts';
import { bindingOf, endsWith, tokenStanding } from '../../../../src/contract/presentation/tokens.ts';
import { remove } from '../../api.ts';
import type { Age } from '../../live/polled.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { PresenceBadge } from '../../parts/presence-badge.tsx';
import { Since } from '../../parts/since.tsx';
import type { Session } from '../../session.ts';

interface Props {
  readonly tokens: readonly TokenView[];
  readonly age: Age;
  readonly session: Session;
  readonly onChanged: () => void;
}

/** Valid tokens, newest first; ended ones are folded away below. */
export function TokenList({ tokens, age, session, onChanged }: Props) {
  const [revoking, setRevoking] = useState<TokenView | null>(null);
  const newest = [...tokens].reverse();
  const isGood = (token: TokenView) => tokenStanding(token, age.serverNow ?? 0) === 'valid';
  const ended = newest.filter((token) => !isGood(token));
  return (
    <>
      <Rows title="Tokens" tokens={newest.filter(isGood)} age={age} onRevoke={setRevoking} />
      {ended.length > 0 && (
        <details className="gone">
          <summary>{ended.length} revoked or expired</summary>
          <Rows title="Tokens that have ended" tokens={ended} age={age} onRevoke={null} />
        </details>
      )}
      {revoking !== null && (
        <ConfirmDialog
          question={{
            title: `Revoke ${revoking.role} ${revoking.name}?`,
            yes: 'Revoke',
            text: `${endsWith(revoking.role)} It cannot be undone.`,
            stale: revoking.name === session.name ? 'You are signed in with a token of this name.' : null,
          }}
          mayForce
          onAnswer={async () => {
            await remove(`/v1/tokens/${revoking.id}`);
            onChanged();
          }}
          onClose={() => setRevoking(null)}
        />
      )}
    </>
  );
}

interface RowsProps {
  readonly title: string;
  readonly tokens: readonly TokenView[];
  readonly age: Age;
  readonly onRevoke: ((token: TokenView) => void) | null;
}

function Rows({ title, tokens, age, onRevoke }: RowsProps) {
  return (
    <table className="rows">
      <caption className="visually-hidden">{title}</caption>
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
              <span className="visually-hidden">Revoke</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={token.id} data-token={token.id}>
            <td>
              <TokenState token={token} age={age} />
            </td>
            <th scope="row" title={token.id}>
              {token.name}
            </th>
            <td data-label="role">{token.role}</td>
            <td data-label="bound to">{bindingOf(token)}</td>
            <td data-label="created">
              <Since at={token.createdAt} age={age} isRough />
            </td>
            <td data-label={onRevoke === null ? 'ended' : 'expires'}>
              <End token={token} age={age} />
            </td>
            <td data-label="last used">
              <Since at={token.lastUsedAt} age={age} isRough />
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

function TokenState({ token, age }: { readonly token: TokenView; readonly age: Age }) {
  const standing = tokenStanding(token, age.serverNow ?? 0);
  // A revoked or expired token stays so, however old the answer; a valid one needs the current time.
  const isOld = standing === 'valid' && (age.isOld || age.serverNow === null);
  return (
    <PresenceBadge presence={standing} isOld={isOld}>
      {standing}
    </PresenceBadge>
  );
}

function End({ token, age }: { readonly token: TokenView; readonly age: Age }) {
  const end = token.revokedAt ?? token.expiresAt;
  if (end === null) return <>never</>;
  const ms = age.serverNow === null ? null : Date.parse(end) - age.serverNow;
  return <Moment at={end}>{ms === null ? '…' : ms > 0 ? ahead(ms) : longAgo(-ms)}</Moment>;
}
