import manifest from '../../package.json' with { type: 'json' };

/** Names every request that Evident itself sends to an app, so that the app can leave it out of its log. */
export const PROBE_AGENT = `evident-probe/${manifest.version}`;
