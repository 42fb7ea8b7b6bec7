import './styles/fonts.css';
import './styles/theme.css';
import './styles/base.css';
import './styles/shell.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiProblem } from './api.ts';
import { App } from './app.tsx';
import { lazily } from './parts/lazily.ts';
import { applyTheme } from './theme.ts';

applyTheme();

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) => count < 3 && !(error instanceof ApiProblem),
      refetchOnWindowFocus: false,
      staleTime: 5_000,
    },
  },
});

/** Development builds have the page of components too; the condition drops it from every other. */
const Gallery =
  import.meta.env.DEV && location.pathname === '/components'
    ? lazily(() => import('./components/gallery.tsx').then((m) => m.Gallery))
    : null;

const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        {Gallery === null ? (
          <App />
        ) : (
          <Suspense>
            <Gallery />
          </Suspense>
        )}
      </QueryClientProvider>
    </StrictMode>,
  );
