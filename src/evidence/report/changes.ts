import type { ObservationRule } from '../../contract/observation.ts';
import { intact, readable } from '../../store/broken-row.ts';
import { gt } from '../../store/port.ts';
import type { ScopeRow } from '../../store/schema.ts';
import { readFacts } from '../door/facts-cache.ts';
import { namedServices } from './items.ts';
import { differenceIn, observationOf, turnsFate } from './observation.ts';
import type { ReceivedReport } from './received-report.ts';
import { type FoundService, type ServiceReader, servicesOf, servicesPerPage } from './target-services.ts';
import { hasUnrecorded, unknownServices } from './unknown-services.ts';

/** A report that is compared with stored services, and its scope before it. */
interface ReportComparison extends ServiceReader {
  readonly scope: ScopeRow;
  readonly rule: ObservationRule | null;
}

/** The services whose claim a report may change. */
export interface Affected {
  readonly services: readonly string[];
  /** Services found in the store on the way, affected or not. */
  readonly stored: ReadonlySet<string>;
}

/** The report shows something that is not stored, or an unknown service that is not recorded yet. */
export async function hasNews(comparison: ReportComparison): Promise<boolean> {
  const { tx, yieldIfDue, received } = comparison;
  const { caller, items } = received;
  const { org } = caller;
  const stored = new Set<string>();
  if (!mustCompareAll(received)) {
    let mayHaveMoved = false;
    for await (const { service, row } of namedRows(comparison)) {
      // An instance of a service that is not stored may have belonged to another service before.
      if (row === undefined && items.entries.get(service)?.workload != null) return true;
      if (row === undefined) mayHaveMoved ||= items.instances.has(service);
      else if (showsNews({ service, row }, comparison)) return true;
      else stored.add(service);
      await yieldIfDue?.();
    }
    if (!mayHaveMoved) return hasUnrecorded(tx, org, unknownServices(items, stored));
  }
  for await (const found of servicesOf(comparison)) {
    if (showsNews(found, comparison)) return true;
    stored.add(found.service);
  }
  for (const [service, { workload }] of items.entries)
    if (workload != null && !stored.has(service)) return true;
  for (const service of namedServices(items))
    if (!stored.has(service) && (await tx.get('services', { org, service })) !== undefined) return true;
  return hasUnrecorded(tx, org, unknownServices(items, stored));
}

/** The services that the report names, with their rows, in pages. */
async function* namedRows({ tx, received: { caller, items } }: ServiceReader) {
  const { org } = caller;
  const named = [...namedServices(items)];
  const perPage = servicesPerPage(items);
  for (let from = 0; from < named.length; from += perPage) {
    const page = named.slice(from, from + perPage);
    const [rows] = await tx.readAll([{ table: 'services', keys: page.map((service) => ({ org, service })) }]);
    const found = new Map(rows.map((row) => [readable(row).service, row]));
    for (const service of page) yield { service, row: found.get(service) };
  }
}

/** Every service that the report may speak of: for one that begins, breaks or reopens a span. */
export async function allServices(reader: ServiceReader): Promise<Affected> {
  const services = new Set(namedServices(reader.received.items));
  for await (const { service } of servicesOf(reader)) services.add(service);
  return { services: [...services].sort(), stored: new Set() };
}

/**
 * For a report that only extends its span: the services that it shows something new of, those that await a report,
 * and those that no full report has covered yet.
 */
export async function affectedServices(comparison: ReportComparison): Promise<Affected> {
  const { received, scope } = comparison;
  const { report, items } = received;
  const affected = new Set<string>();
  const stored = new Set<string>();
  for (const matching of [{ awaitsReport: true }, { createdAt: gt(scope.completeAt ?? 0) }])
    for await (const { service } of servicesOf(comparison, matching)) affected.add(service);
  if (mustCompareAll(received) || (await showsNewInstance(comparison)))
    for await (const found of servicesOf(comparison)) {
      if (showsNews(found, comparison)) affected.add(found.service);
      stored.add(found.service);
    }
  // A complete report changes nothing of a service that it names without news; any other report refreshes it.
  const complete = report.kind === 'full' && report.complete;
  for (const service of namedServices(items))
    if (!complete || !stored.has(service) || items.corrupt.services.has(service)) affected.add(service);
  return { services: [...affected].sort(), stored };
}

/** Removed instances are named by uid alone or, in a full report, not at all: each service has to be compared. */
const mustCompareAll = ({ report, items }: ReceivedReport) =>
  report.kind === 'full' || items.removedInstances.size > 0;

/** An instance that is new to its service may have been another's before: each service has to be compared. */
async function showsNewInstance({ tx, received }: ReportComparison): Promise<boolean> {
  const { caller, report, items } = received;
  for (const [service, instances] of items.instances) {
    const row = await tx.get('services', { org: caller.org, service });
    const observed = readFacts(intact(row)?.proven)?.observed;
    const part = observed?.parts.find(({ scope }) => scope === report.scope);
    const stored = new Set(part?.instances.map(({ uid }) => uid));
    if (instances.some(({ uid }) => !stored.has(uid))) return true;
  }
  return false;
}

function showsNews(
  { service, row }: FoundService,
  { received: { report, items }, scope, rule }: ReportComparison,
): boolean {
  const stored = intact(row);
  const observed = readFacts(stored?.proven)?.observed;
  if (stored === undefined || observed === undefined) return true;
  const { createdAt } = stored;
  const observation = observationOf({ report, items, scope, rule }, { service, createdAt, observed });
  return differenceIn(observation, observed) !== null || turnsFate(observation, observed);
}
