// npm runs this after `npm ci`, so that an install alone leaves a working ./bin/evident.
import { bundle, bundleWeb } from './bundle.mjs';

try {
  await bundle('evident');
  await bundleWeb();
} catch (error) {
  // `npm ci --omit=dev` brings no esbuild. Whoever installs so has the built dist/ already (package, image).
  if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  console.log('esbuild is not installed (--omit=dev): dist/ is left as it is.');
}
