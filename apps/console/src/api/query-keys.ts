/**
 * The keys of the query cache: every key that the console reads or invalidates is made here.
 *
 * A key covers all keys that begin with it. Invalidating `QUERY_KEYS.deployment(name)` therefore also reloads that
 * deployment's variables, domains, runs and metrics, and `QUERY_KEYS.anyDeployment` those of every deployment.
 */
export const QUERY_KEYS = {
  user: ['user'],
  accounts: ['accounts'],
  members: ['members'],
  invites: ['invites'],
  /** The invitation that the secret of a link is for. */
  invite: (secret: string | undefined) => ['invite', secret],
  /** The person of a password reset link. */
  passwordReset: (secret: string | undefined) => ['password-reset', secret],
  keys: ['keys'],
  sharedVariables: ['shared-variables'],
  alerts: ['alerts'],
  alertHistory: ['alerts', 'history'],
  sessions: ['sessions'],
  passkeys: ['passkeys'],
  identities: ['identities'],
  signInWays: ['sign-in-ways'],
  /** The state of a first-run link; undefined for that of the platform. */
  firstRun: (token: string | undefined) => ['first-run', token],
  /** The device that shows `code`. */
  device: (code: string) => ['device', code],

  deployments: ['deployments'],
  /** Requests of all deployments, for the list. */
  activity: ['activity'],
  anyDeployment: ['deployment'],
  deployment: (name: string) => ['deployment', name],
  /** Whether `name` can be deployed. */
  deploymentName: (name: string) => ['deployment', name, 'name'],
  environment: (name: string) => ['deployment', name, 'environment'],
  instances: (name: string) => ['deployment', name, 'instances'],
  repository: (name: string) => ['deployment', name, 'repository'],
  domains: (name: string) => ['deployment', name, 'domains'],
  runs: (name: string) => ['deployment', name, 'runs'],
  /** The changes that a rollback of `name` to `revision` would make. */
  rollback: (name: string, revision: string) => ['deployment', name, 'rollback', revision],
  metrics: (name: string, query: unknown) => ['deployment', name, 'metrics', query],

  deploys: ['deploys'],
  activeDeploys: ['deploys', 'active'],
  deploysOf: (name: string) => ['deploys', 'of', name],
  deployReport: (id: string) => ['deploys', 'report', id],

  volumes: ['volumes'],
  deletedVolumes: ['volumes', 'deleted'],
  anyFiles: ['files'],
  filesOf: (volume: string) => ['files', volume],
  /** Names in a folder that begin with `start`. */
  folder: (volume: string, folder: string, start: string) => ['files', volume, folder, start],
  preview: (volume: string, path: string) => ['preview', volume, path],

  logEntry: (deployment: string, cursor: string) => ['log-entry', deployment, cursor],
  /** `scope` is all that decides what is counted. */
  logCounts: (...scope: readonly unknown[]) => ['log-counts', ...scope],
  logFields: (...scope: readonly unknown[]) => ['log-fields', ...scope],

  audit: (query: object) => ['audit', query],
  subscription: ['subscription'],
  plans: ['plans'],
  costs: (group: string, month: string) => ['costs', group, month],
} as const;
