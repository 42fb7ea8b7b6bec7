/** Queries, mutations and the subscription, and what only they have. The other types are those of HTTP. */
export const GRAPHQL_OPERATIONS = /* GraphQL */ `
  "RFC 3339, in UTC."
  scalar DateTime
  "Epochs, fences, sequence numbers and positions: digits in a string."
  scalar Digits
  scalar JSON

  type Query {
    services(target: String, state: [State!], search: String, first: Int = 50, after: String): ServiceConnection!
    service(ref: String!): Service
    "Declared beside observed, for every service."
    deploymentStatuses(target: String, service: String, first: Int = 50, after: String): DeploymentStatusConnection!
    "The instances of every service, as they were last observed."
    podStatuses(target: String, service: String, first: Int = 50, after: String): PodStatusConnection!
    "Only for operators; null with an error for others."
    agents: [Agent!]
    model: Model!
  }

  type Mutation {
    "An image, an artifact, or what another tool runs. Sources go over HTTP."
    deploy(input: DeployInput!): Deployed!
    rollback(service: String!, to: Int, idempotencyKey: String): Deployed!
    retry(service: String!, idempotencyKey: String): Deployed!
    cancel(service: String!, revision: Int, idempotencyKey: String): Deployed!
    restart(service: String!, idempotencyKey: String): Deployed!
    scale(service: String!, replicas: Int!, idempotencyKey: String): Deployed!
    teardown(service: String!, force: Boolean = false, reason: String, idempotencyKey: String): Deployed!
    registerAgent(input: RegisterAgentInput!): Registration!
    "All instances of the target, in full. What a complete list does not name is gone."
    reportPodStatuses(input: ReportPodStatusesInput!): ReportReceipt!
    "All services of the target, in full. It is no younger than the list of pods beside it, and never proves an instance gone."
    reportDeploymentStatuses(input: ReportDeploymentStatusesInput!): ReportReceipt!
  }

  type Subscription {
    "Every recorded change, in the order of the ledger. It resumes after a position; one that is no longer kept is an error with the code reset."
    transitions(service: String, target: String, after: Digits): Transition!
  }

  type PageInfo {
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
    endCursor: String
  }

  type Service {
    ref: String!
    name: String!
    target: String!
    urls: [String!]!
    createdAt: DateTime
    claim: Claim!
    "The claim at a past instant, recomputed from the ledger."
    claimAt(at: DateTime!): Claim
    "The newest first."
    revisions(first: Int = 20, after: String): RevisionConnection!
    transitions(first: Int = 50, after: String): TransitionConnection!
    "Only for operators; null with an error for others."
    evidence(verdict: Verdict, first: Int = 50, after: String): EvidenceConnection
  }

  type DeploymentStatus {
    service: String!
    target: String!
    state: State!
    message: String!
    since: DateTime!
    "What should run."
    declared: Declared!
    "What was last seen; null if nothing ever was."
    observed: Observed
    observedAt: DateTime
    ageMs: Float
    "False: what is observed is the last known, and nothing newer is known."
    fresh: Boolean!
    lastKnown: LastKnown
  }

  type Observed {
    replicas: Int!
    ready: Int!
    servingRevision: Int
    generation: Generation
  }

  type PodStatus {
    uid: String!
    name: String!
    service: String!
    target: String!
    revision: Int
    attempt: Int
    "Only for operators; null with an error for others."
    node: String
    phase: Phase!
    ready: Boolean!
    restarts: Int!
    reason: String
    startedAt: DateTime
    containers: [ContainerStatus!]!
    observedAt: DateTime!
    ageMs: Float!
    "False: this is the last known, and nothing newer is known."
    fresh: Boolean!
  }

  "The rows of the status model, as GET /v1/model has them."
  type Model {
    states: [JSON!]!
    kinds: [JSON!]!
    transitions: [JSON!]!
    reasons: [JSON!]!
    causes: [JSON!]!
    deadlines: [JSON!]!
    actions: [JSON!]!
    messages: [JSON!]!
  }

  type Registration {
    epoch: Digits!
    reportEveryMs: Int!
    freshForMs: Int!
    now: DateTime!
  }

  type ReportReceipt {
    seq: Digits!
    now: DateTime!
    resync: Boolean!
    rejected: [RejectedItem!]!
  }

  input DeployInput {
    service: String!
    image: String
    artifact: String
    observe: Boolean
    spec: JSON
    "Fields of the configuration that are removed, such as env.OLD."
    unset: [String!]
    "Fields that the file of the service named."
    declared: [String!]
    git: JSON
    idempotencyKey: String
  }

  input RegisterAgentInput {
    target: String!
    agent: String!
    instance: String!
    version: String
    identity: String!
  }

  input ReportPodStatusesInput {
    target: String!
    epoch: Digits!
    seq: Digits!
    complete: Boolean!
    watchAgeMs: Int = 0
    heard: DateTime
    heardAgoMs: Int
    podStatuses: [PodStatusInput!]!
  }

  input ReportDeploymentStatusesInput {
    target: String!
    epoch: Digits!
    seq: Digits!
    complete: Boolean!
    watchAgeMs: Int = 0
    heard: DateTime
    heardAgoMs: Int
    deploymentStatuses: [DeploymentStatusInput!]!
  }
`;

/** The lists of nodes that are read in pages. */
const CONNECTIONS = [
  'Service',
  'DeploymentStatus',
  'PodStatus',
  'Revision',
  'Transition',
  'Evidence',
] as const;

export const CONNECTION_TYPES = CONNECTIONS.map(
  (node) => /* GraphQL */ `
  type ${node}Connection {
    edges: [${node}Edge!]!
    nodes: [${node}!]!
    pageInfo: PageInfo!
  }

  type ${node}Edge {
    node: ${node}!
    cursor: String!
  }
`,
).join('\n');
