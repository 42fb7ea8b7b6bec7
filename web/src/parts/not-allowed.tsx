import type { HumanRole } from '../../../src/contract/vocabulary.ts';
import type { Session } from '../session.ts';

interface Props {
  readonly page: string;
  readonly needs: HumanRole;
  readonly session: Session;
}

/**
 * For a role that is too low. The page requests nothing: data that the server would refuse is not in its
 * bytes.
 */
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
