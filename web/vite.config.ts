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
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:7717' } },
});
