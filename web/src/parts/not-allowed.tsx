import type { Role, Session } from '../session.ts';

interface Props {
  readonly page: string;
  readonly needs: Role;
  readonly session: Session;
}

/** For a role that is too low. Nothing was asked of the server: what it would refuse is not in the page's bytes. */
export function NotAllowed({ page, needs, session }: Props) {
  return (
    <>
      <h1>{page}</h1>
      <div className="card open part">
        <p>
          <b>This page needs the role {needs}.</b> You are signed in as {session.name || 'somebody'}, with the
          role {session.role}.
        </p>
        <p className="soft">
          Nothing is broken, and trying again changes nothing. Sign out and in with another token, or ask an
          admin for one.
        </p>
      </div>
    </>
  );
}
