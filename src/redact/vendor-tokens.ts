import type { Pattern } from './pattern.ts';

/**
 * Tokens with the prefix of their vendor. Lengths are below the true ones, because a line may have been cut
 * in the middle of a token.
 */
const PREFIXED: readonly (readonly [kind: string, keywords: readonly string[], source: string])[] = [
  ['evident token', ['evd_'], 'evd_[\\w-]{16,}'],
  ['aws key', ['akia', 'asia'], 'A[KS]IA[A-Z0-9]{16}'],
  ['google key', ['aiza'], 'AIza[\\w-]{30,}'],
  ['google token', ['ya29.'], 'ya29\\.[\\w.-]{20,}'],
  ['google secret', ['gocspx-'], 'GOCSPX-[\\w-]{20,}'],
  ['azure secret', [...'0123456789'].map((digit) => `${digit}q~`), '[\\w~.-]{3}\\dQ~[\\w~.-]{20,}'],
  ['github token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], 'gh[pousr]_[A-Za-z0-9]{16,}'],
  ['github token', ['github_pat_'], 'github_pat_\\w{16,}'],
  ['gitlab token', ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-'], 'gl(?:pat|dt|rt|cbt|ptt)-[\\w.-]{16,}'],
  ['slack token', ['xox', 'xapp-'], '(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}'],
  ['stripe key', ['_live_', '_test_'], '[sr]k_(?:live|test)_[A-Za-z0-9]{10,}'],
  ['webhook secret', ['whsec_'], 'whsec_[\\w+/=]{16,}'],
  ['npm token', ['npm_'], 'npm_[A-Za-z0-9]{30,}'],
  ['pypi token', ['pypi-'], 'pypi-[\\w-]{40,}'],
  ['rubygems token', ['rubygems_'], 'rubygems_[a-f0-9]{24,}'],
  ['docker token', ['dckr_'], 'dckr_[po]at_[\\w-]{16,}'],
  ['hugging face token', ['hf_'], 'hf_[A-Za-z0-9]{30,}'],
  ['groq key', ['gsk_'], 'gsk_[A-Za-z0-9]{30,}'],
  ['replicate token', ['r8_'], 'r8_[A-Za-z0-9]{30,}'],
  ['sendgrid key', ['sg.'], 'SG\\.[\\w-]{16,}\\.[\\w-]{16,}'],
  ['mailgun key', ['key-'], 'key-[0-9a-f]{32}'],
  ['twilio key', [...'0123456789abcdef'].map((digit) => `sk${digit}`), 'SK[0-9a-f]{32}'],
  ['telegram token', [':aa'], '(?:bot)?\\d{8,10}:AA[\\w-]{30,}'],
  ['digitalocean token', ['_v1_'], 'do[opr]_v1_[a-f0-9]{32,}'],
  ['heroku key', ['hrku-'], 'HRKU-[\\w-]{20,}'],
  ['linear key', ['lin_api_'], 'lin_api_[A-Za-z0-9]{20,}'],
  ['notion token', ['ntn_'], 'ntn_[A-Za-z0-9]{30,}'],
  ['shopify token', ['shpat_', 'shpss_', 'shpca_', 'shppa_'], 'shp(?:at|ss|ca|pa)_[A-Fa-f0-9]{24,}'],
  ['square token', ['sq0'], 'sq0(?:atp|csp)-[\\w-]{20,}'],
  ['doppler token', ['dp.'], 'dp\\.(?:pt|st|ct|sa)\\.[\\w.-]{20,}'],
  ['databricks token', ['dapi'], 'dapi[a-f0-9]{32}'],
  ['planetscale secret', ['pscale_'], 'pscale_(?:tkn|pw|oauth)_[\\w.-]{20,}'],
  ['supabase token', ['sbp_', 'sb_secret_'], '(?:sbp_[a-f0-9]{32,}|sb_secret_[\\w-]{20,})'],
  ['netlify token', ['nfp_'], 'nfp_[A-Za-z0-9]{30,}'],
  ['fly token', ['fm1_', 'fm2_'], 'fm[12]_[\\w+/=,-]{30,}'],
  ['grafana token', ['glsa_', 'glc_'], 'gl(?:sa|c)_[\\w+/=-]{24,}'],
  ['new relic key', ['nrak-'], 'NRAK-[A-Z0-9]{20,}'],
  ['sentry token', ['sntrys_', 'sntryu_'], 'sntry[su]_[\\w+/=-]{20,}'],
  ['vault token', ['hvs.', 'hvb.', 'hvr.'], 'hv[sbr]\\.[\\w-]{20,}'],
  ['terraform token', ['atlasv1.'], '[A-Za-z0-9]{0,20}\\.?atlasv1\\.[\\w-]{30,}'],
  ['pulumi token', ['pul-'], 'pul-[a-f0-9]{32,}'],
  ['tailscale key', ['tskey-'], 'tskey-[a-z]{1,20}-[\\w-]{10,}'],
  ['age key', ['age-secret-key-1'], 'AGE-SECRET-KEY-1[A-Z0-9]{20,}'],
  ['json web token', ['eyj'], 'eyJ[\\w-]{8,}(?:\\.[\\w-]*){1,4}'],
];

/** Names are joined with dashes: `web-ghp_…` is a token too. */
const AT_EDGE = '(?<![A-Za-z0-9])';

/** Forty characters of base64 are a secret key where an id of a key is beside them. A digest is of one case. */
const isDigest = (secret: string) => !/[a-z]/.test(secret) || !/[A-Z]/.test(secret);

export const VENDOR_TOKENS: readonly Pattern[] = [
  // These precede the rule that replaces the id.
  {
    kind: 'aws secret',
    keywords: ['akia', 'asia'],
    pattern:
      /((?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Z0-9])[\s\S]{0,200}?(?<![A-Za-z0-9+/]))[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/])/g,
    keep: isDigest,
  },
  {
    kind: 'aws secret',
    keywords: ['akia', 'asia'],
    pattern:
      /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/])(?=[\s\S]{0,200}?(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{16})/g,
    keep: isDigest,
  },
  ...PREFIXED.map(([kind, keywords, source]) => ({
    kind,
    keywords,
    pattern: new RegExp(`${AT_EDGE}${source}`, 'g'),
  })),
  {
    kind: 'api key',
    keywords: ['sk-'],
    pattern: /(?<![A-Za-z0-9])sk-[\w-]{20,}/g,
    // Names in style sheets begin like this too, but are words.
    keep: (secret) => !/[0-9A-Z]/.test(secret),
  },
  {
    kind: 'webhook address',
    keywords: ['hooks.slack.com/', '/api/webhooks/', 'webhook.office.com/'],
    pattern:
      /((?:hooks\.slack\.com\/(?:services|workflows|triggers)|\/api\/webhooks\/\d{1,30}|webhook\.office\.com\/webhookb2)\/)[\w/@-]{16,}/g,
  },
];
