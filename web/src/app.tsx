import { Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { isTab } from './pages/service/tabs.ts';
import { Services } from './pages/services.tsx';
import { lazily } from './parts/lazily.ts';
import { LoadFailed } from './parts/load-failed.tsx';
import { Quiet } from './parts/quiet.tsx';
import { Shell } from './parts/shell.tsx';
import { useSession } from './session.ts';

const SignIn = lazily(() => import('./pages/sign-in.tsx').then((m) => m.SignIn));
const Service = lazily(() => import('./pages/service.tsx').then((m) => m.Service));
const TargetsPage = lazily(() => import('./pages/targets.tsx').then((m) => m.TargetsPage));
const Model = lazily(() => import('./pages/model.tsx').then((m) => m.Model));
const Explorer = lazily(() => import('./pages/explorer.tsx').then((m) => m.Explorer));
const Settings = lazily(() => import('./pages/settings.tsx').then((m) => m.Settings));
const NoSuchPage = lazily(() => import('./pages/no-such-page.tsx').then((m) => m.NoSuchPage));

/** Shows the sign-in page without a session, else the page that the address names. */
export function App() {
  const session = useSession();
  const [place] = useLocation();
  if (session.isPending) return <Quiet>Signing in …</Quiet>;
  if (session.isError) return <Quiet>{session.error.message}</Quiet>;
  if (session.data === null)
    return (
      <Suspense fallback={null}>
        <SignIn />
      </Suspense>
    );
  const signedIn = session.data;
  return (
    <Shell session={signedIn}>
      <LoadFailed key={place.split('/', 3).join('/')}>
        <Suspense fallback={<Quiet>Loading …</Quiet>}>
          <Switch>
            <Route path="/">
              <Services session={signedIn} />
            </Route>
            <Route path="/services/:ref/:tab?">
              {({ ref, tab = 'overview' }) =>
                isTab(tab) ? (
                  <Service key={ref} service={decodeURIComponent(ref)} session={signedIn} tab={tab} />
                ) : (
                  <NoSuchPage />
                )
              }
            </Route>
            <Route path="/targets">
              <TargetsPage session={signedIn} />
            </Route>
            <Route path="/model">
              <Model />
            </Route>
            <Route path="/explorer">
              <Explorer />
            </Route>
            <Route path="/settings/:part?">{({ part }) => <Settings part={part} session={signedIn} />}</Route>
            <Route>
              <NoSuchPage />
            </Route>
          </Switch>
        </Suspense>
      </LoadFailed>
    </Shell>
  );
}
