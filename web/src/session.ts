import { useQuery } from '@tanstack/react-query';
import { HUMAN_ROLES, type HumanRole } from '../../src/contract/vocabulary.ts';
import { ApiProblem, get, newKey, post, remove } from './api.ts';
import { forgetSessionKey, keepSessionKey, sessionKey } from './session-key.ts';

export interface Session {
  readonly role: HumanRole;
  readonly org: string;
  readonly name: string;
  /** The id of the browser's session, which is no secret. */
  readonly session: string | null;
}

/** Signs this origin in, with a key of its own that a cookie in other hands lacks. */
export async function signIn(by: { readonly token: string } | { readonly link: string }): Promise<Session> {
  const key = newKey();
  const session = await post<Session>('/v1/sessions', { ...by, key });
  keepSessionKey(key);
  return session;
}

export async function signOut(): Promise<void> {
  await remove('/v1/sessions');
  forgetSessionKey();
  location.assign('/');
}

const rankOf = (role: HumanRole) => HUMAN_ROLES.indexOf(role);
export const hasRoleAtLeast = (session: Session, role: HumanRole) => rankOf(session.role) >= rankOf(role);

/** The signed-in session, or null. A one-time link in the address is redeemed first and removed from it. */
export const useSession = () =>
  useQuery({
    queryKey: ['session'],
    queryFn: signedIn,
    staleTime: Number.POSITIVE_INFINITY,
    retry: isPassing,
  });

/** Says why the link in the address signed nobody in; null if there was none, or it did. */
export const linkProblem = (): string | null => refusedLink;
let refusedLink: string | null = null;

async function signedIn(): Promise<Session | null> {
  const link = new URLSearchParams(location.hash.slice(1)).get('link');
  if (link !== null) {
    history.replaceState(null, '', location.pathname + location.search);
    try {
      return await signIn({ link });
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      // The link is used up or too old: an existing session stays, and without one the sign-in page says why.
      refusedLink = error.message;
    }
  }
  // A cookie that is there all the same was set by somebody else: whose it is cannot be told.
  if (sessionKey() === null) return null;
  try {
    return await get<Session>('/v1/sessions');
  } catch (error) {
    if (error instanceof ApiProblem && error.problem.code === 'unauthenticated') return null;
    throw error;
  }
}

const isPassing = (count: number, error: Error) => count < 5 && !(error instanceof ApiProblem);
