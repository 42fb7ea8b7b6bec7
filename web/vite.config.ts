import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Built by `npm ci` into dist/web, from where the server serves it; `npx vite web` for work on the pages. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
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
  server: { proxy: { '/v1': 'http://127.0.0.1:7717' } },
});
