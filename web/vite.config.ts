import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/**
 * Parts of the query library that nothing here uses, and that it loads all the same: actions are sent by `api.ts`, and no
 * query has pages without end. Whoever uses one of them takes its line out.
 */
const UNUSED: Readonly<Record<string, string>> = {
  './infiniteQueryBehavior.js':
    'export const infiniteQueryBehavior = undefined, hasNextPage = undefined, hasPreviousPage = undefined;',
  './mutationCache.js':
    'export class MutationCache { findAll() { return []; } resumePausedMutations() { return Promise.resolve(); } clear() {} }',
};

const withoutUnused: Plugin = {
  name: 'without-unused',
  apply: 'build',
  enforce: 'pre',
  resolveId: (source, importer) =>
    source in UNUSED && importer?.includes('@tanstack/query-core') ? `\0unused:${source}` : null,
  load: (id) => UNUSED[id.replace('\0unused:', '')] ?? null,
};

/** Built by `npm ci` into dist/web, from where the server serves it; `npx vite web` for work on the pages. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), withoutUnused],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // One small file: a part that is loaded later must not come without its looks.
    cssCodeSplit: false,
    // The policy of the pages allows no inline bytes.
    assetsInlineLimit: 0,
    // The first screen is one file: nothing has to be loaded ahead, and it compresses better than in parts.
    modulePreload: false,
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } },
    },
  },
  resolve: {
    // React has had this hook since 18; the shim for older ones is left out.
    alias: { 'use-sync-external-store/shim/index.js': 'react' },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:7717', '/graphql': 'http://127.0.0.1:7717' } },
});
