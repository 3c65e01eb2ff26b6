import type {
  Account,
  Activity,
  ActivityWindow,
  AddDomainRequest,
  AgentToken,
  ApiKey,
  AuditPage,
  AuditQuery,
  CreateAccountRequest,
  CreatedAccount,
  CreatedKey,
  CreateKeyRequest,
  Deployment,
  DeploymentDetail,
  DoctorReport,
  Domain,
  EnvironmentKey,
  LogEntry,
  LogFields,
  LogFieldsRequest,
  LogHistogram,
  LogHistogramRequest,
  LogsRequest,
  LogsResponse,
  Message,
  Metrics,
  MetricsWindow,
  NameCheck,
  Plan,
  PruneResult,
  Reconciliation,
  SetEnvironmentResponse,
  SignInRequest,
  SqlRow,
  Subscription,
  User,
  VerifiedDomain,
} from '@berth/contract';
import { type Clock, createSystemClock } from '@berth/kit';
import { type AccountCalls, createAccountCalls, type TokenSignIn } from './account-calls.ts';
import { clientError } from './client-error.ts';
import type { Credential } from './credential.ts';
import { createDeployCalls, type DeployCalls } from './deploy.ts';
import { createScheduleCalls, type ScheduleCalls } from './schedule-calls.ts';
import { createFetchSendForm, type SendForm } from './send-form.ts';
import { type TailOptions, type TailSource, tailLogs } from './tail-logs.ts';
import { type Call, type CallOptions, createTransport } from './transport.ts';
import { createVolumeCalls, type VolumeCalls } from './volume-calls.ts';
import type { RenewSession } from './with-session.ts';

export interface ClientOptions {
  /** Address of the control plane, e.g. `http://localhost:8787`. */
  readonly baseUrl: string;
  /** Absent for `health` alone. */
  readonly credential?: Credential | undefined;
  readonly fetch?: typeof fetch;
  /** How uploads are sent; by `fetch` where it is absent. */
  readonly sendForm?: SendForm;
  readonly userAgent?: string;
  readonly clock?: Clock;
  /** Ends every call that is given no signal of its own; its reason is what they throw. */
  readonly signal?: AbortSignal;
  /** Has a session that ended begun anew; see {@link RenewSession}. */
  readonly renewSession?: RenewSession;
}

/** A time that metrics are of: RFC 3339 with an offset; `to` is now when it is absent. */
export interface MetricsRange {
  readonly from?: string;
  readonly to?: string;
}

export interface EnvChange {
  readonly set?: Readonly<Record<string, string>>;
  readonly unset?: readonly string[];
}

/**
 * The control plane's API. Every call throws a BerthError: the server's own sentence with its code, status and, for 422,
 * `details.issues`; `unavailable` when there was no answer. Calls that may safely be repeated are, three times in all.
 */
export interface Client extends AccountCalls, DeployCalls, ScheduleCalls, VolumeCalls {
  /** The server's address in its one form. */
  readonly baseUrl: string;
  checkName(name: string, options?: CallOptions): Promise<NameCheck>;
  /** Newest first. */
  listDeployments(options?: CallOptions): Promise<Deployment[]>;
  /** @throws `not_found`, `forbidden` */
  getDeployment(name: string, options?: CallOptions): Promise<DeploymentDetail>;
  /** The same; undefined when nothing has that name. @throws `forbidden` */
  findDeployment(name: string, options?: CallOptions): Promise<DeploymentDetail | undefined>;
  /** Keeps the volumes' data. @throws `not_found`, `forbidden` */
  deleteDeployment(name: string, options?: CallOptions): Promise<Message>;
  /** Answers when the change serves, or after a minute. */
  setEnv(name: string, change: EnvChange, options?: CallOptions): Promise<SetEnvironmentResponse>;
  listEnv(name: string, options?: CallOptions): Promise<EnvironmentKey[]>;
  /** Claims a domain for a deployment, or leads an own one to it. @throws `invalid`, `forbidden`, `not_found` */
  addDomain(request: AddDomainRequest, options?: CallOptions): Promise<Domain>;
  /** Looks for the proof of a domain; may take seconds. @throws `forbidden`, `not_found` */
  verifyDomain(domain: string, options?: CallOptions): Promise<VerifiedDomain>;
  /** Oldest first, of one deployment when its name is given. @throws `forbidden`, `not_found` */
  listDomains(name?: string, options?: CallOptions): Promise<Domain[]>;
  /** @throws `forbidden`, `not_found` */
  removeDomain(domain: string, options?: CallOptions): Promise<Message>;
  /** Oldest first; the newest `limit` without `since`, the oldest after it with one. */
  fetchLogs(request: LogsRequest, options?: CallOptions): Promise<LogsResponse>;
  /** How many entries fit, by time and severity. @throws as `fetchLogs` */
  logHistogram(request: LogHistogramRequest, options?: CallOptions): Promise<LogHistogram>;
  /** Which fields entries have, and with which values. @throws as `fetchLogs` */
  logFields(request: LogFieldsRequest, options?: CallOptions): Promise<LogFields>;
  tailLogs(name: string, options?: TailOptions): AsyncGenerator<LogEntry>;
  /** A page of what was done in the account, newest first. @throws `forbidden` */
  audit(query?: AuditQuery, options?: CallOptions): Promise<AuditPage>;
  whoami(options?: CallOptions): Promise<User>;
  /** Rows of one SELECT over the account's logs and billing. @throws `invalid` with what is wrong with the query */
  sql(query: string, options?: CallOptions): Promise<SqlRow[]>;
  /** Requests and errors of all deployments over time. */
  activity(window?: ActivityWindow, options?: CallOptions): Promise<Activity>;
  /** What a deployment served and used over time. @throws `not_found` */
  metrics(name: string, span?: MetricsWindow | MetricsRange, options?: CallOptions): Promise<Metrics>;
  /** The account's plan, its limits and what was used in this period. */
  subscription(options?: CallOptions): Promise<Subscription>;
  /** The operator's plans and what each allows, in the order of their file. */
  listPlans(options?: CallOptions): Promise<Plan[]>;
  /** For the operator: what was metered beside the request log. `from` is a UTC day, yesterday by default. @throws `forbidden` */
  reconcile(from?: string, options?: CallOptions): Promise<Reconciliation>;
  /** For the operator: removes caches, and what nothing needs. Takes as long as removing files does. @throws `forbidden` */
  prune(request: { readonly dry_run: boolean }, options?: CallOptions): Promise<PruneResult>;
  /** For the operator: puts the account of that name on a plan. @throws `invalid`, `not_found`, `forbidden` */
  setPlan(account: string, plan: string, options?: CallOptions): Promise<Account>;
  listKeys(options?: CallOptions): Promise<ApiKey[]>;
  createKey(request: CreateKeyRequest, options?: CallOptions): Promise<CreatedKey>;
  /** @throws `not_found` */
  deleteKey(id: string, options?: CallOptions): Promise<void>;
  /** What says to the agent of that name who the caller is, for ten minutes. @throws `not_found` */
  createAgentToken(deployment: string, options?: CallOptions): Promise<AgentToken>;
  /** For the operator alone. @throws `forbidden`, `conflict` */
  createAccount(request: CreateAccountRequest, options?: CallOptions): Promise<CreatedAccount>;
  /** A session of at most a day, whose token is a bearer credential. @throws `unauthenticated` */
  signIn(request: SignInRequest, options?: CallOptions): Promise<TokenSignIn>;
  /** Ends the session of the client's bearer token. */
  signOut(options?: CallOptions): Promise<void>;
  /** A backup of the whole platform: a tar, compressed with zstd. For the operator. @throws `forbidden`, `conflict` */
  openBackup(options?: CallOptions): Promise<ReadableStream<Uint8Array>>;
  doctor(options?: CallOptions): Promise<DoctorReport>;
  /** Resolves when the server is up. @throws `unavailable` */
  health(options?: CallOptions): Promise<void>;
}

/** The server waits a minute for the revision to serve. Source: contract, `SetEnvironmentResponse`. */
const ENVIRONMENT_TIMEOUT_MS = 90_000;
/** A query may take a minute, and wait its turn before. */
const SQL_TIMEOUT_MS = 180_000;
/** Removing millions of files takes a while; there is one answer, at the end. */
const PRUNE_TIMEOUT_MS = 1_800_000;

/** @throws `bad_request` or `unauthenticated` for a base URL or credential that can't be one. */
export function createClient(options: ClientOptions): Client {
  // Browsers refuse `fetch` when it is called as a method of something else.
  const callFetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  const clock = options.clock ?? createSystemClock();
  const transport = createTransport({ ...options, fetch: callFetch, clock });
  const get = <Answer>(path: string, { signal }: CallOptions = {}) =>
    transport.json<Answer>({ method: 'GET', path, signal });
  const post = <Answer>(path: string, body: unknown, more: Partial<Call> = {}) =>
    transport.json<Answer>({ method: 'POST', path, body, ...more });

  async function getList<Row>(path: string, callOptions?: CallOptions): Promise<Row[]> {
    const rows = await get<Row[]>(path, callOptions);
    if (Array.isArray(rows)) return rows;
    throw clientError('bad_request', `What ${transport.baseUrl + path} answered is not a list. Is it a Berth server?`);
  }

  const getDeployment: Client['getDeployment'] = (name, callOptions) =>
    get(`/v1/deployment/${encodeURIComponent(name)}`, callOptions);
  const fetchLogs = (request: LogsRequest, call: Partial<Call>) =>
    post<LogsResponse>('/v1/deployment/logs', request, call);

  return {
    ...createAccountCalls(transport),
    ...createDeployCalls(transport, options.sendForm ?? createFetchSendForm(callFetch)),
    ...createScheduleCalls(transport),
    ...createVolumeCalls(transport),
    baseUrl: transport.baseUrl,
    checkName: (name, callOptions) => get(`/v1/deployment/check-name?name=${encodeURIComponent(name)}`, callOptions),
    listDeployments: (callOptions) => getList('/v1/deployment/list', callOptions),
    getDeployment,
    findDeployment: (name, callOptions) =>
      getDeployment(name, callOptions).catch((error: { code?: unknown }) => {
        if (error.code === 'not_found') return undefined;
        throw error;
      }),
    deleteDeployment: (name, { signal } = {}) => post('/v1/deployment/delete', { name }, { signal }),
    setEnv: (name, { set = {}, unset = [] }, { signal } = {}) =>
      post('/v1/env/set', { deployment_name: name, set, unset }, { signal, timeoutMs: ENVIRONMENT_TIMEOUT_MS }),
    listEnv: (name, callOptions) => getList(`/v1/env/list?name=${encodeURIComponent(name)}`, callOptions),
    addDomain: (request, { signal } = {}) => post('/v1/domain/add', request, { signal }),
    verifyDomain: (domain, { signal } = {}) => post('/v1/domain/verify', { domain }, { signal, isIdempotent: true }),
    listDomains: (name, callOptions) =>
      getList(`/v1/domain/list${name === undefined ? '' : `?name=${encodeURIComponent(name)}`}`, callOptions),
    removeDomain: (domain, { signal } = {}) => post('/v1/domain/remove', { domain }, { signal }),
    fetchLogs: (request, { signal } = {}) => fetchLogs(request, { isIdempotent: true, signal }),
    logHistogram: (request, { signal } = {}) =>
      post('/v1/deployment/logs/histogram', request, { isIdempotent: true, signal }),
    logFields: (request, { signal } = {}) =>
      post('/v1/deployment/logs/fields', request, { isIdempotent: true, signal }),
    tailLogs: (name, tail = {}) => {
      const signal = tail.signal ?? options.signal;
      const queryOf = (since: string) =>
        new URLSearchParams({ name, since, ...(tail.query === undefined ? {} : { query: tail.query }) });
      const source: TailSource = {
        baseUrl: transport.baseUrl,
        clock,
        // One try a time: the tail has its own patience.
        fetch: (request) => fetchLogs(request, { signal }),
        open: (since) => transport.open({ method: 'GET', path: `/v1/deployment/logs/tail?${queryOf(since)}`, signal }),
      };
      return tailLogs(source, name, { ...tail, signal });
    },
    audit: (query = {}, callOptions) => {
      const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
      return get(
        `/v1/user/audit?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`,
        callOptions,
      );
    },
    whoami: (callOptions) => get('/v1/user', callOptions),
    listKeys: (callOptions) => getList('/v1/user/keys', callOptions),
    createAgentToken: (deployment, callOptions) => post('/v1/user/token', { deployment }, callOptions),
    createKey: (request, { signal } = {}) => post('/v1/user/keys', request, { signal }),
    deleteKey: async (id, { signal } = {}) => {
      await transport.json({ method: 'DELETE', path: `/v1/user/keys?id=${encodeURIComponent(id)}`, signal });
    },
    createAccount: (request, { signal } = {}) => post('/v1/admin/accounts', request, { signal }),
    signIn: (request, { signal } = {}) => post('/v1/auth/sign-in/email', request, { signal }),
    signOut: async ({ signal } = {}) => {
      await post('/v1/auth/sign-out', undefined, { signal });
    },
    sql: (query, { signal } = {}) =>
      post('/v1/sql', { query }, { signal, isIdempotent: true, timeoutMs: SQL_TIMEOUT_MS }),
    activity: (window, callOptions) =>
      get(`/v1/activity${window === undefined ? '' : `?window=${window}`}`, callOptions),
    metrics: (name, span = {}, { signal } = {}) =>
      transport.json({
        method: 'GET',
        path: `/v1/deployment/metrics?${new URLSearchParams({ name, ...(typeof span === 'string' ? { window: span } : span) })}`,
        timeoutMs: SQL_TIMEOUT_MS,
        signal,
      }),
    subscription: (callOptions) => get('/v1/user/subscription', callOptions),
    listPlans: (callOptions) => get('/v1/user/plans', callOptions),
    setPlan: (account, plan, { signal } = {}) =>
      post('/v1/admin/accounts/plan', { account, plan }, { signal, isIdempotent: true }),
    reconcile: (from, { signal } = {}) =>
      transport.json({
        method: 'GET',
        path: `/v1/admin/reconcile${from === undefined ? '' : `?from=${encodeURIComponent(from)}`}`,
        timeoutMs: SQL_TIMEOUT_MS,
        signal,
      }),
    prune: (body, { signal } = {}) =>
      transport.json({
        method: 'POST',
        path: '/v1/admin/prune',
        body,
        timeoutMs: PRUNE_TIMEOUT_MS,
        isIdempotent: true,
        signal,
      }),
    openBackup: ({ signal } = {}) => transport.open({ method: 'GET', path: '/v1/admin/backup', signal }),
    doctor: (callOptions) => get('/v1/doctor', callOptions),
    health: async ({ signal } = {}) => {
      const body = await transport.open({ method: 'GET', path: '/healthz', signal });
      await body.cancel();
    },
  };
}
