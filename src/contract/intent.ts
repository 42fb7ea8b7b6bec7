import { z } from 'zod';
import { DIGEST } from './names.ts';
import { workloadSchema } from './observation.ts';
import { POLICIES, type RevisionKind, RUNTIMES } from './vocabulary.ts';

const durationMs = z
  .int()
  .min(1)
  .max(7 * 24 * 3_600_000);

export const deadlinesSchema = z.strictObject({
  publishMs: durationMs.optional(),
  queueMs: durationMs.optional(),
  buildMs: durationMs.optional(),
  applyQueueMs: durationMs.optional(),
  applyMs: durationMs.optional(),
  startMs: durationMs.optional(),
  degradedMs: durationMs.optional(),
  stopMs: durationMs.optional(),
});
export type DeadlineName = keyof z.infer<typeof deadlinesSchema>;
export type Deadlines = Readonly<Record<DeadlineName, number>>;

const envValue = z.union([z.string(), z.strictObject({ secret: z.string() })]);

/** No shell ever sees it (F107): what only a shell would understand is refused, rather than handed to the app as words. */
const commandLine = z
  .string()
  .regex(/\S/, 'has no words')
  .refine((line) => !/[|&;<>()`\n]|\$\(/.test(line.replace(/'[^']*'|"(?:[^"\\]|\\.)*"|\\./g, '')), {
    message: 'has shell operators, and no shell runs it; write ["sh", "-c", "…"] if one should',
  });

/** The command that starts an app: its words, or one line that is split into words as POSIX does. */
export type StartCommand = string | readonly string[];

const argv = z
  .array(z.string())
  .min(1)
  .refine(([program]) => program !== '', 'names no program');

/** One command, several, or `false` for none; no shell runs them either. */
const buildSchema = z.union([commandLine, argv, z.array(argv).min(1), z.literal(false)]);

/** As Kubernetes writes amounts: `250m`, `0.5`, `128Mi`. */
const amount = z
  .string()
  .regex(/^\d+(?:\.\d+)?(?:m|[kKMGTPE]i?)?$/, 'is not an amount such as 250m or 128Mi');
const amounts = z.strictObject({ cpu: amount.optional(), memory: amount.optional() });
const objectName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/, 'is not a name of an object');

const kubernetesSchema = z.strictObject({
  resources: z.strictObject({ requests: amounts.optional(), limits: amounts.optional() }).optional().meta({
    description:
      'What each copy is given of `cpu` and `memory`: `requests` for certain, `limits` at most; `250m`, `128Mi`.',
  }),
  serviceAccount: objectName.optional().meta({
    description:
      'The service account that its pods run as, with a token of it. Without it they get that of the namespace, and no token.',
  }),
  pullSecrets: z
    .array(objectName)
    .max(10)
    .optional()
    .meta({ description: 'Secrets of the namespace with which a private image is pulled, by name.' }),
  root: z.boolean().optional().meta({
    description:
      'The image runs as the user that it names, root too, with the privileges of a container. Namespaces that enforce `restricted` refuse that.',
    default: false,
  }),
});

/**
 * The spec that a deploy may request. Each field carries its words and its default: docs/deploying.md and the API's description
 * are made of them.
 */
export const specSchema = z.strictObject({
  command: z.union([commandLine, argv]).optional().meta({
    description:
      'How the app is started, before anything that the folder says: a list of words, or one line that is split into words as POSIX does, with `$NAME` from its environment. No shell runs it.',
  }),
  procfile: z.string().optional().meta({
    description:
      'The process type of the `Procfile` that is started. Every other type than `web` has no port.',
    default: 'web',
  }),
  build: buildSchema.optional().meta({
    description:
      'What is run to build it, in place of what the builder finds: one command, or a list of commands (each a list of words); `false` for none. Dependencies are installed all the same.',
  }),
  root: z
    .string()
    .max(400)
    .regex(
      /^(?!\.{0,2}(?:\/|$))(?!.*(?:^|\/)\.{1,2}(?:\/|$))[^\p{Cc}\\]+$/u,
      'is not a folder inside the source',
    )
    .optional()
    .meta({
      description:
        'The folder of the app in the source, if that is not its top: a package of a workspace. The workspace is installed at the top, the packages that the app depends on are built before it, and it is started in its folder. `evident deploy` finds it by itself.',
    }),
  port: z
    .union([z.int().min(1).max(65535), z.literal('auto'), z.null()])
    .optional()
    .meta({
      description:
        'Whether and where it listens. An app listens where `PORT` in its environment says; `null` says that it has no port, and needs no route to be running.',
      default: 'auto',
    }),
  replicas: z.int().min(0).max(10_000).optional().meta({
    description: 'How many copies of it run. 0 stops it and keeps the service.',
    default: 1,
  }),
  env: z
    .record(z.string().regex(/^[A-Za-z_]\w{0,254}$/, 'is not a valid variable name'), envValue)
    .optional()
    .meta({
      description:
        'Variables of its environment: `NAME: value`, or `NAME: {secret: value}` for what is written once, never shown again and never given to a build.',
    }),
  health: z
    .strictObject({
      path: z
        .string()
        .regex(/^\/[!-~]{0,2000}$/, 'must be a path that begins with /')
        .optional()
        .meta({
          description:
            'Probed with GET: each copy is ready when that answers below 400. Without it, when it answers HEAD for / at all; a port that speaks no HTTP only has to accept connections. The route is probed in the same way when it changes, and once a minute while it does not; as often as the target reports, the router alone is. All name themselves `evident-probe/VERSION` as user agent, by which an app can leave them out of its log.',
        }),
      intervalMs: durationMs.optional().meta({
        description: 'How often each copy is probed. An answer counts for this and the timeout together.',
        default: 5_000,
      }),
      timeoutMs: durationMs.optional().meta({
        description: 'For how long an answer is waited for.',
        default: 2_000,
      }),
    })
    .optional()
    .meta({ description: 'How one can tell that it is ready.' }),
  route: z
    .strictObject({
      host: z
        .string()
        .regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i, 'is not a valid host name')
        // The page is served there, and its cookies would reach the app (F126).
        .refine((host) => !isOfThisMachine(host), 'belongs to this machine; choose another name')
        .meta({ description: 'The host name under which it is reached.' }),
    })
    .optional()
    .meta({
      description: 'Where it is reached, beside the port of its own that every service with a port has.',
    }),
  stabilityMs: z.int().min(0).max(3_600_000).optional().meta({
    description: 'For how long everything must have held before it is called `running`.',
    default: 3_000,
  }),
  deadlines: deadlinesSchema.optional().meta({
    description: 'How long each stage may take; what happens then is in the status model.',
  }),
  concurrency: z.enum(POLICIES).optional().meta({
    description:
      'What it does when another revision is in progress: takes its place (`newest`), waits behind it (`queue`) or is refused (`refuse`).',
    default: 'newest',
  }),
  kubernetes: kubernetesSchema.optional().meta({
    description: 'What a cluster must know beside the rest; other runtimes leave it alone.',
  }),
  badge: z.enum(['public', 'private']).optional().meta({
    description:
      'Who may see its badge: everybody (`public`), or those who may read the service, as without it.',
  }),
  runtime: z.enum(RUNTIMES).optional().meta({
    description: 'What must run it; an agent that cannot says so. Left out: whatever the target’s agent has.',
  }),
});
export type Spec = z.infer<typeof specSchema>;

/** An address that people are shown has no secret in it. */
const namesNobody = (url: string) => {
  if (!URL.canParse(url)) return true;
  const { username, password } = new URL(url);
  return username === '' && password === '';
};

export const gitSchema = z.strictObject({
  sha: z.string().max(64),
  branch: z.string().max(255).optional(),
  message: z.string().max(2000).optional(),
  author: z.string().max(255).optional(),
  dirty: z.boolean().optional(),
  url: z
    .url({ protocol: /^https$/ })
    .max(500)
    .refine(namesNobody, 'names somebody who signs in')
    .optional()
    .describe('The page of the commit on the web.'),
});
export type Git = z.infer<typeof gitSchema>;

/** The origin of a revision's bytes, which decides its stages. */
/** `localhost`, and addresses in place of a name. */
const isOfThisMachine = (host: string) => /^(?:localhost|[\d.]+)$/i.test(host);

export const originSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('source'), digest: z.string().regex(DIGEST) }),
  z.strictObject({ kind: z.literal('image'), image: z.string().min(1).max(512) }),
  z.strictObject({ kind: z.literal('artifact'), digest: z.string().regex(DIGEST) }),
  /** With the workload as it was when the revision was first seen, where a rule of the target found it. */
  z.strictObject({ kind: z.literal('observe'), workload: workloadSchema.optional() }),
  z.strictObject({ kind: z.literal('none') }),
]);
export type Origin = z.infer<typeof originSchema>;

/** Revision and attempt as stamped on a runtime object. */
export interface Stamp {
  readonly revision: number;
  readonly attempt: number;
}

/** One immutable desired state of a service, with every default filled in. Never rewritten. */
export interface RevisionIntent {
  readonly revision: number;
  readonly kind: RevisionKind;
  readonly origin: Origin;
  readonly replicas: number;
  readonly port: number | 'auto' | null;
  /** The spec's, else what the build of these bytes had found; null: neither has said, or it is yet to be built. */
  readonly command: StartCommand | null;
  readonly stabilityMs: number;
  readonly deadlines: Deadlines;
  /** Stamps of other revisions that count as this one's: a `scale` keeps the instances there are. */
  readonly accepts: readonly Stamp[];
  /** In observe mode, the hash of the pod template takes the place of the stamp. */
  readonly template: string | null;
  readonly spec: Spec;
  readonly git: Git | null;
  readonly actor: string;
  /**
   * The revision whose artifact and configuration this one repeats, replicas apart: the base of a restart or scaling,
   * the source of a rollback. Null: it has its own, or was recorded before this was.
   */
  readonly contentOf?: number | null;
  /** Fields that the file beside the source declared, in the last deploy that had one. Null: none had, so far. */
  readonly declared?: readonly string[] | null;
  /** The revision that a restart, a scaling or a rollback was derived from. Null: it derives from none. */
  readonly derivesFrom?: number | null;
  /** The id of the request for it, which finds it in a server's log; none where nobody requested it. */
  readonly correlation?: string | null;
  readonly createdAt: number;
}

/** The intents of a service now: the active revision first, then those that wait behind it. */
export interface Intent {
  readonly service: string;
  readonly revisions: readonly RevisionIntent[];
}
