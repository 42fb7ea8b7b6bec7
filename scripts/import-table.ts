/**
 * The one source of who may import whom. scripts/check-structure.ts enforces it in `npm run check`,
 * docs/adr/0001-one-package-and-import-table.md says why it exists.
 *
 * To add a folder: add a row. A folder under src/ without a row fails the check. `sim`, `bench`, `soak`, `lab` and `web`
 * are the folders of that name beside src/.
 */
const BELOW_EVIDENCE = ['contract', 'projection', 'store'] as const;
const LAYERS = ['ownership', 'intent'] as const;
/** Programs that try the product and are no part of it. They stand beside src/, so nothing in src/ can need them. */
const OUTSIDE = ['sim', 'bench', 'soak', 'lab', 'web'] as const;
const EDGES = ['runtime', 'build', 'agent', 'worker'] as const;

export const IMPORT_TABLE: Record<
  string,
  { readonly may: readonly string[] } | { readonly mayNot: readonly string[] }
> = {
  contract: { may: [] },
  client: { may: ['contract'] },
  projection: { may: ['contract'] },
  store: { may: ['contract'] },
  artifact: { may: ['contract'] },
  evidence: { may: [...BELOW_EVIDENCE, 'access'] },
  /** Decides who may do what, for front doors, verbs, reports and leases. */
  access: { may: ['contract'] },
  model: { may: ['contract', 'projection'] },
  /** Keeps one piece of work from blocking the thread; knows nothing of the product. */
  'event-loop': { may: [] },
  /** Limits open connections, for the router and the server alike. */
  connections: { may: [] },
  /** Keeps an uncaught error of one exchange from ending the process. */
  'last-resort': { may: [] },
  redact: { may: ['contract', 'event-loop'] },
  logs: { may: ['contract', 'redact', 'artifact'] },
  ownership: { may: [...BELOW_EVIDENCE, 'evidence', 'access'] },
  intent: { may: [...BELOW_EVIDENCE, 'evidence', 'access'] },
  repair: { may: [...BELOW_EVIDENCE, 'evidence', ...LAYERS] },
  /** Tells receivers outside of the platform what is on record. Nothing that claims are made of may need it. */
  webhooks: { may: [...BELOW_EVIDENCE, 'evidence', 'access'] },
  runtime: { may: ['contract', 'artifact', 'connections'] },
  build: { may: ['contract', 'artifact'] },
  agent: { may: ['contract', 'runtime', 'build', 'artifact', 'client'] },
  worker: { may: ['contract', 'runtime', 'build', 'artifact', 'client'] },
  /** Reads Kubernetes and decides which of it is proven; `verdict` is pure and knows no cluster. */
  kubernetes: { may: ['contract', 'projection', 'runtime'] },
  server: { mayNot: [...EDGES, 'kubernetes', ...OUTSIDE] },
  cli: { mayNot: OUTSIDE },
  sim: { mayNot: [...EDGES, 'server', 'cli', 'bench', 'soak', 'web'] },
  bench: { mayNot: [...EDGES, 'server', 'cli', 'sim', 'soak', 'web'] },
  /** Sees real programs from outside, as their users do: it knows the protocol and nothing of the code behind it. */
  soak: { may: ['contract', 'client', 'lab'] },
  /** The web UI: types and tables only, because what brings a schema with it brings all of zod into the page. */
  web: { may: ['contract'] },
  /** Parts that tests, simulator, benchmarks and soak have in common: real programs, databases, disks, a generator. */
  lab: { may: [] },
};

/**
 * Folders inside one row whose imports lead one way only. Supervision knows instances and router by its own ports, so
 * that every kind of instance can use it.
 */
export const ONE_WAY: Record<string, { readonly mayNot: readonly string[] }> = {
  'src/runtime/supervise/': { mayNot: ['src/runtime/process/', 'src/runtime/router/'] },
  'src/runtime/router/': { mayNot: ['src/runtime/process/'] },
  'src/kubernetes/observe/': { mayNot: ['src/kubernetes/api/'] },
  'src/kubernetes/verdict/': { mayNot: ['src/kubernetes/api/', 'src/kubernetes/observe/'] },
};

/** Pure folders do no I/O, so Node's modules are out and of packages only these are let in. */
export const PURE_FOLDERS: Record<string, { readonly packages: readonly string[] }> = {
  access: { packages: [] },
  contract: { packages: ['zod'] },
  projection: { packages: ['zod'] },
};
