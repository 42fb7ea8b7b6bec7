import type { Evidence } from '../../src/contract/evidence.ts';
import type { Stamp, StartCommand } from '../../src/contract/intent.ts';
import { targetOf } from '../../src/contract/names.ts';
import type { Outcome, State } from '../../src/contract/vocabulary.ts';
import type {
  AttemptRow,
  BlindRow,
  CommandRow,
  HeadRow,
  LeaseRow,
  RevisionRow,
  ServiceRow,
  TransitionRow,
} from '../../src/store/schema.ts';
import { OracleTarget } from './views.ts';

/** A revision and an attempt as one number: the key of everything that is about one attempt. */
export const attemptKey = (revision: number, attempt: number): number => revision * 10_000 + attempt;

/** Positions and fences of a schedule are small: as numbers they compare fast. */
export const digitsAsNumber = (digits: string): number => Number(digits);

interface RecordedIntent {
  readonly queued: boolean;
  /** A teardown of what was never applied: the ledger alone proves absence. */
  readonly absent: boolean;
  cancelledInQueue: boolean;
  readonly position: number;
}

interface ArtifactNote {
  readonly digest: string;
  readonly port: number | null;
  readonly command: StartCommand | null;
  readonly position: number;
}

interface AppliedNote {
  readonly at: number;
  /** Receipt of the target's last report before this commit, which may be after `at`: no such report knew of it. */
  readonly lastReceivedAt: number;
  /** The `asOf` that all scopes had reached by then. */
  readonly asOfAtCommit: number;
  readonly artifact: string | null;
}

/** The oracle's own notes about one service, from committed rows alone. */
export class ServiceBook {
  readonly org: string;
  readonly service: string;
  readonly view: OracleTarget;
  row: ServiceRow | null = null;
  readonly admitted: Evidence[] = [];
  readonly admittedIds = new Set<string>();
  readonly rejectedIds = new Set<string>();
  readonly revisions = new Map<number, RevisionRow>();
  readonly intents = new Map<number, RecordedIntent>();
  readonly attempts = new Map<number, AttemptRow>();
  /** The recorded end of each attempt that is over: it never becomes another (S11). */
  readonly ended = new Map<number, Outcome>();
  readonly newestAttempt = new Map<number, number>();
  readonly commands = new Map<string, CommandRow>();
  readonly openLeases = new Map<string, LeaseRow>();
  readonly published = new Set<number>();
  readonly cancels = new Set<number>();
  readonly applied = new Map<number, AppliedNote>();
  readonly removed = new Map<number, number>();
  /** Removals that do not speak for what left the instances. */
  readonly uncontained = new Set<number>();
  readonly artifacts = new Map<number, ArtifactNote>();
  /** Attempts that a recorded transition has called running. */
  readonly ran = new Set<number>();
  /** Times in which no deadline ran, by the reports; and since when none runs now. */
  readonly pauses: { readonly from: number; readonly to: number }[] = [];
  pausedSince: number | null = null;
  /** The attempt that was read as failed by a crash loop, until something of it is seen steady. */
  loopFailed: number | null = null;
  /** When each command was last given back, to be offered again. */
  readonly requeued = new Map<string, number>();
  /** `retrySafe` as an attempt's own failure reports it, if it does. */
  readonly retrySafe = new Map<number, boolean>();
  /** The last recorded state that was not `unknown`, and of which attempt. */
  lastKnown: { readonly stamp: number; readonly state: State } | null = null;
  /** The position of the last admitted observation. */
  observedAt = 0;
  /** Revisions that were active when an instance was put on record: the ledger alone proves no absence of them. */
  readonly shown = new Set<number>();
  /** A full report has come since the service was asked for. */
  covered = false;
  /** The number of the last replacement of its place since which it was proven to run in the new one. */
  succeeded = 0;
  /** The revision that was last shown to serve. */
  served: (Stamp & { readonly asOf: number }) | null = null;
  /** When a report last showed anything else than the one before it. */
  movedAt = 0;
  /** Each time that more instances of an attempt were ready, or one was a phase further on, than ever before. */
  readonly progress: { readonly stamp: number; readonly at: number; ready: number; furthest: number }[] = [];
  /** Somebody was offered an apply of it, whether or not it was taken up. */
  offeredApply = false;
  active = { revision: 0, attempt: 0 };
  lastTransition: TransitionRow | null = null;
  /** Outcomes that somebody has read: they never change again (S11). */
  readonly outcomes = new Map<number, Outcome>();
  /** The claim has to be read again. */
  due = false;
  /** The first instant at which time alone may change the claim that was read last. */
  validUntil = Number.POSITIVE_INFINITY;
  /** A deadline that has passed but that no beat has confirmed yet, or one that must pass in the end. */
  overdue = false;
  changes = 0;
  rebuiltAt = 0;

  constructor(org: string, service: string, view: OracleTarget) {
    this.org = org;
    this.service = service;
    this.view = view;
  }

  get name(): string {
    return `${this.service} of ${this.org}`;
  }
}

/** Counts of one command: fences that were issued, used and ended. */
export interface CommandBook {
  row: CommandRow;
  readonly book: ServiceBook;
  lastFence: number;
  endedFence: number;
  endedBy: string;
  completions: number;
  lapses: number;
}

interface ReaderBook {
  /** Index into the org's transitions of what must come next; -1 before the first. */
  next: number;
}

export class OrgBook {
  readonly org: string;
  position = 0;
  receivedAt = 0;
  head: HeadRow | null = null;
  /** Positions of all transitions, in order, and the true time at which each was first seen. */
  readonly transitions: number[] = [];
  readonly transitionsSeenAt: number[] = [];
  /** Admitted evidence that is about a target or the platform. */
  readonly looseIds = new Set<string>();
  readonly blinds: BlindRow[] = [];
  readonly readers = new Map<string, ReaderBook>();
  /** State of the commit that is being read. */
  readonly commit = { admitted: 0, rejected: 0, transition: null as TransitionRow | null };

  constructor(org: string) {
    this.org = org;
  }
}

/** A workload outside the default namespace is named `web.shop@prod`; services that are deployed here have no dot. */
export const workloadNamespace = (service: string): string | null =>
  /^[^.@]+\.([^.@]+)@/.exec(service)?.[1] ?? null;

/** Everything that the oracle has written down, by name. */
export class Books {
  readonly orgs = new Map<string, OrgBook>();
  readonly services = new Map<string, ServiceBook>();
  readonly targets = new Map<string, OracleTarget>();
  readonly commands = new Map<string, CommandBook>();

  org(org: string): OrgBook {
    let book = this.orgs.get(org);
    if (book === undefined) {
      book = new OrgBook(org);
      this.orgs.set(org, book);
    }
    return book;
  }

  service(org: string, service: string): ServiceBook {
    const key = `${org}|${service}`;
    let book = this.services.get(key);
    if (book === undefined) {
      book = new ServiceBook(org, service, this.target(org, targetOf(service), workloadNamespace(service)));
      this.services.set(key, book);
    }
    return book;
  }

  /** @param namespace of a workload, or of the scope of its own in which it is reported */
  target(org: string, target: string, namespace: string | null = null): OracleTarget {
    const key = `${org}|${target}|${namespace ?? ''}`;
    let view = this.targets.get(key);
    if (view === undefined) {
      view = new OracleTarget(org, target, namespace);
      this.targets.set(key, view);
    }
    return view;
  }

  /** Two orgs have a service of this name: the simulated world does not tell them apart. */
  isShared(book: ServiceBook): boolean {
    for (const other of this.services.values())
      if (other !== book && other.service === book.service && other.row !== null) return true;
    return false;
  }
}
