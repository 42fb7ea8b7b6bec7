import type { Migration } from './types.ts';

/** Every table of the first schema, with the indexes that the hot statements use. */
export const ledger: Migration = {
  name: '0001-ledger',
  statements: ({ text, int, bool, digits, json, byKey, isFalse, isTrue }) => [
    `CREATE TABLE heads (
      org ${text} NOT NULL, position ${digits} NOT NULL, at ${int} NOT NULL, recovered_at ${int},
      PRIMARY KEY (org)
    ) ${byKey}`,
    `CREATE TABLE services (
      org ${text} NOT NULL, service ${text} NOT NULL, target ${text} NOT NULL, created_at ${int} NOT NULL,
      newest ${int} NOT NULL, active ${int} NOT NULL, attempt ${int} NOT NULL, proven ${json} NOT NULL,
      settled_to ${int} NOT NULL, steady_until ${int}, state ${text} NOT NULL, outcome ${text} NOT NULL,
      since ${int} NOT NULL, position ${digits} NOT NULL, command ${text}, due ${int},
      awaits_report ${bool} NOT NULL, rejected ${int} NOT NULL, hidden ${bool} NOT NULL,
      PRIMARY KEY (org, service)
    ) ${byKey}`,
    `CREATE INDEX services_by_target ON services (org, target, service)`,
    `CREATE INDEX services_by_birth ON services (org, target, created_at)`,
    `CREATE INDEX services_awaiting ON services (org, target) WHERE ${isTrue('awaits_report')}`,
    `CREATE INDEX services_due ON services (org, due) WHERE due IS NOT NULL`,
    `CREATE INDEX services_by_outcome ON services (org, outcome)`,
    `CREATE TABLE revisions (
      org ${text} NOT NULL, service ${text} NOT NULL, revision ${int} NOT NULL, kind ${text} NOT NULL,
      origin ${json} NOT NULL, replicas ${int} NOT NULL, port ${json}, stability_ms ${int} NOT NULL,
      deadlines ${json} NOT NULL, accepts ${json} NOT NULL, template ${text}, spec ${json} NOT NULL,
      git ${json}, actor ${text} NOT NULL, created_at ${int} NOT NULL,
      PRIMARY KEY (org, service, revision)
    ) ${byKey}`,
    `CREATE TABLE attempts (
      org ${text} NOT NULL, service ${text} NOT NULL, revision ${int} NOT NULL, attempt ${int} NOT NULL,
      kind ${text} NOT NULL, started_at ${int} NOT NULL, outcome ${text} NOT NULL, ended_at ${int},
      artifact ${text}, port ${int},
      PRIMARY KEY (org, service, revision, attempt)
    ) ${byKey}`,
    `CREATE INDEX attempts_by_outcome ON attempts (org, service, outcome, revision)`,
    `CREATE TABLE commands (
      org ${text} NOT NULL, id ${text} NOT NULL, service ${text} NOT NULL, target ${text} NOT NULL,
      revision ${int} NOT NULL, attempt ${int} NOT NULL, kind ${text} NOT NULL, state ${text} NOT NULL,
      fence ${digits} NOT NULL, lapses ${int} NOT NULL, available_at ${int} NOT NULL,
      cancel_requested ${bool} NOT NULL,
      PRIMARY KEY (org, id)
    ) ${byKey}`,
    `CREATE INDEX commands_waiting ON commands (org, state, available_at)`,
    `CREATE INDEX commands_for_target ON commands (org, state, target, available_at)`,
    `CREATE INDEX commands_by_attempt ON commands (org, service, revision, attempt)`,
    `CREATE TABLE leases (
      org ${text} NOT NULL, id ${text} NOT NULL, command ${text} NOT NULL, kind ${text} NOT NULL,
      service ${text} NOT NULL, target ${text} NOT NULL, fence ${digits} NOT NULL, caller ${text} NOT NULL,
      worker ${text} NOT NULL, instance ${text} NOT NULL, epoch ${digits}, granted_at ${int} NOT NULL,
      acknowledged_at ${int}, until ${int} NOT NULL, silenced ${bool} NOT NULL, growing ${bool} NOT NULL,
      ended_at ${int}, "end" ${text}, last_seq ${digits},
      PRIMARY KEY (org, id)
    ) ${byKey}`,
    `CREATE INDEX leases_ending ON leases (org, until) WHERE ended_at IS NULL`,
    `CREATE INDEX leases_of_command ON leases (org, command) WHERE ended_at IS NULL`,
    `CREATE INDEX leases_of_instance ON leases (org, instance) WHERE ended_at IS NULL`,
    `CREATE INDEX leases_of_target ON leases (org, target, id) WHERE ended_at IS NULL`,
    `CREATE TABLE agents (
      org ${text} NOT NULL, target ${text} NOT NULL, agent ${text} NOT NULL, instance ${text} NOT NULL,
      version ${text} NOT NULL, identity ${text} NOT NULL, epoch ${digits} NOT NULL,
      registered_at ${int} NOT NULL, evidence ${text} NOT NULL, identity_epoch ${digits} NOT NULL,
      identity_since ${int} NOT NULL, identity_changed ${bool} NOT NULL, seen_at ${int} NOT NULL,
      PRIMARY KEY (org, target)
    ) ${byKey}`,
    `CREATE TABLE registrations (
      org ${text} NOT NULL, target ${text} NOT NULL, instance ${text} NOT NULL, epoch ${digits} NOT NULL,
      PRIMARY KEY (org, target, instance)
    ) ${byKey}`,
    `CREATE TABLE scopes (
      org ${text} NOT NULL, target ${text} NOT NULL, scope ${text} NOT NULL, epoch ${digits} NOT NULL,
      seq_epoch ${digits} NOT NULL, seq ${digits} NOT NULL, base ${digits}, as_of ${int} NOT NULL,
      received_at ${int} NOT NULL, complete_at ${int}, span_from ${int} NOT NULL,
      first_seq ${digits} NOT NULL, unavailable ${text}, silenced ${bool} NOT NULL, swept ${bool} NOT NULL,
      PRIMARY KEY (org, target, scope)
    ) ${byKey}`,
    `CREATE INDEX scopes_falling_silent ON scopes (org, as_of) WHERE ${isFalse('swept')}`,
    `CREATE TABLE spans (
      org ${text} NOT NULL, subject ${text} NOT NULL, "from" ${int} NOT NULL, until ${int} NOT NULL,
      first_seq ${digits}, last_seq ${digits}, epoch ${digits}, received_at ${int} NOT NULL,
      complete_at ${int},
      PRIMARY KEY (org, subject, "from")
    ) ${byKey}`,
    `CREATE TABLE workers (
      org ${text} NOT NULL, worker ${text} NOT NULL, instance ${text} NOT NULL, kinds ${json} NOT NULL,
      target ${text} NOT NULL, service ${text} NOT NULL, span_from ${int} NOT NULL, seen_at ${int} NOT NULL,
      PRIMARY KEY (org, worker, instance)
    ) ${byKey}`,
    `CREATE TABLE beats (server ${text} NOT NULL, at ${int} NOT NULL, PRIMARY KEY (server)) ${byKey}`,
    `CREATE TABLE blinds (
      org ${text} NOT NULL, "from" ${int} NOT NULL, "to" ${int} NOT NULL,
      PRIMARY KEY (org, "from")
    ) ${byKey}`,
    `CREATE INDEX blinds_by_end ON blinds (org, "to")`,
    `CREATE TABLE ledger (
      org ${text} NOT NULL, position ${digits} NOT NULL, received_at ${int} NOT NULL, id ${text} NOT NULL,
      service ${text}, target ${text}, revision ${int}, attempt ${int}, command ${text}, fence ${digits},
      seq ${digits}, source ${json} NOT NULL, observed_at ${text}, kind ${text} NOT NULL,
      body ${json}, verdict ${text} NOT NULL, reason ${text},
      PRIMARY KEY (org, position)
    ) ${byKey}`,
    `CREATE INDEX ledger_by_service ON ledger (org, service, position)`,
    `CREATE INDEX ledger_by_target ON ledger (org, target, position) WHERE service IS NULL`,
    `CREATE TABLE evidence_ids (
      org ${text} NOT NULL, source ${text} NOT NULL, id ${text} NOT NULL, body ${text} NOT NULL,
      position ${digits} NOT NULL, reason ${text},
      PRIMARY KEY (org, source, id)
    ) ${byKey}`,
    `CREATE TABLE transitions (
      org ${text} NOT NULL, position ${digits} NOT NULL, service ${text} NOT NULL, at ${int} NOT NULL,
      "from" ${text}, "to" ${text} NOT NULL, owner ${text} NOT NULL, evidence ${text} NOT NULL,
      revision ${int} NOT NULL, attempt ${int} NOT NULL, stage ${text},
      PRIMARY KEY (org, position)
    ) ${byKey}`,
    `CREATE INDEX transitions_by_service ON transitions (org, service, position)`,
    `CREATE TABLE keys (
      org ${text} NOT NULL, token ${text} NOT NULL, key ${text} NOT NULL, fingerprint ${text} NOT NULL,
      service ${text} NOT NULL, revision ${int} NOT NULL, attempt ${int} NOT NULL, created_at ${int} NOT NULL,
      PRIMARY KEY (org, token, key)
    ) ${byKey}`,
    `CREATE TABLE artifacts (
      org ${text} NOT NULL, digest ${text} NOT NULL, size ${int} NOT NULL,
      PRIMARY KEY (org, digest)
    ) ${byKey}`,
    `CREATE TABLE counters (
      org ${text} NOT NULL, source ${text} NOT NULL, reason ${text} NOT NULL, count ${int} NOT NULL,
      PRIMARY KEY (org, source, reason)
    ) ${byKey}`,
    `CREATE TABLE alarms (
      org ${text} NOT NULL, position ${digits} NOT NULL, code ${text} NOT NULL, service ${text},
      at ${int} NOT NULL,
      PRIMARY KEY (org, position)
    ) ${byKey}`,
  ],
};
