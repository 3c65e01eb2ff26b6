/**
 * The credentials that every route is called with, in this order. The owner is last, because its call may change
 * things.
 */
export const ACCESS_CREDENTIALS = [
  'none',
  'bad',
  'bad beside good',
  'expired',
  'revoked',
  'read-only',
  'other account',
  'owner',
] as const;

export type AccessCredential = (typeof ACCESS_CREDENTIALS)[number];

/** A route of the OpenAPI document. */
export interface AccessOperation {
  /** `METHOD /path/{parameter}`. */
  readonly id: string;
  /** The scope that the route needs; undefined: any valid credential; `session`: a person's session, so no key. */
  readonly scope: string | undefined;
}

/** A call of a route that would succeed for the owner. */
export interface AccessSample {
  readonly parameters?: Readonly<Record<string, string>>;
  /** With its `?`. */
  readonly query?: string;
  readonly json?: unknown;
  readonly body?: BodyInit;
  /** True when the call names something of the owner's; false when it asks for what the caller has. */
  readonly isOwned?: boolean;
}

/** Options of the matrix. */
export interface AccessMatrixOptions {
  /** The application in process, or `fetch`. */
  send(request: Request): Promise<Response>;
  /** E.g. `http://localhost:8787`. */
  readonly origin: string;
  /** Headers of each credential; those of `bad beside good` are a bad key with the owner's bearer token. */
  readonly credentials: Readonly<Record<Exclude<AccessCredential, 'none'>, Readonly<Record<string, string>>>>;
  /** Called once per route. Routes without a sample are still called with the credentials that need none. */
  sample(operation: AccessOperation): AccessSample | undefined | Promise<AccessSample | undefined>;
  /** Texts that only the owner may see. */
  readonly canaries: readonly string[];
}

/** One cell of the matrix. */
export interface AccessResult {
  readonly operation: string;
  readonly credential: AccessCredential;
  readonly status: number;
  /** What the response should have been; undefined when it was right. */
  readonly fault: string | undefined;
}

interface Operation extends AccessOperation {
  readonly method: string;
  readonly path: string;
  readonly statuses: readonly string[];
}

/** Calls every guarded route of `GET /openapi.json` with every credential. Source: docs/contract/control-plane.md §1, security 2. */
export async function runAccessMatrix(options: AccessMatrixOptions): Promise<readonly AccessResult[]> {
  const results: AccessResult[] = [];
  for (const operation of await readOperations(options)) {
    const sample = await options.sample(operation);
    for (const credential of ACCESS_CREDENTIALS) {
      if (!sample && (credential === 'owner' || credential === 'other account')) continue;
      const response = await options.send(toRequest(options, operation, credential, sample ?? {}));
      const fault = await findFault(options, operation, credential, sample ?? {}, response);
      results.push({ operation: operation.id, credential, status: response.status, fault });
    }
  }
  return results;
}

async function readOperations({ send, origin }: AccessMatrixOptions): Promise<Operation[]> {
  interface Described {
    readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
    readonly responses: Readonly<Record<string, unknown>>;
  }
  const response = await send(new Request(`${origin}/openapi.json`));
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, Described>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security = [] }]) => security.length > 0)
      .map(([method, { security, responses }]) => ({
        id: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        scope: Object.values(security?.[0] ?? {})[0]?.[0],
        statuses: Object.keys(responses),
      })),
  );
}

function toRequest(
  { origin, credentials }: AccessMatrixOptions,
  { method, path }: Operation,
  credential: AccessCredential,
  { parameters = {}, query = '', json, body }: AccessSample,
): Request {
  const route = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(parameters[name] ?? 'unknown'),
  );
  const headers = new Headers(credential === 'none' ? {} : credentials[credential]);
  if (json !== undefined) headers.set('content-type', 'application/json');
  const content = json === undefined ? body : JSON.stringify(json);
  return new Request(origin + route + query, { method, headers, ...(content === undefined ? {} : { body: content }) });
}

async function findFault(
  { canaries }: AccessMatrixOptions,
  { scope, statuses }: Operation,
  credential: AccessCredential,
  { isOwned = false }: AccessSample,
  response: Response,
): Promise<string | undefined> {
  const { status } = response;
  const isOwner = credential === 'owner';
  // The owner's response may be an endless stream.
  const text = isOwner && response.ok ? '' : await response.text();
  if (isOwner) await response.body?.cancel().catch(() => {});
  if (!statuses.includes(String(status))) return `${status} is not in the document`;
  if (!response.headers.get('x-request-id')) return 'no X-Request-Id';
  if (!response.ok && !hasDetail(text)) return `no detail in ${text.slice(0, 100)}`;
  if (credential === 'other account') {
    if (isOwned && status !== 403 && status !== 404) return `${status} for what another account owns`;
    return canaries.some((canary) => text.includes(canary)) ? 'something of the owner is in the answer' : undefined;
  }
  if (isOwner && scope === 'session') return status === 403 ? undefined : `${status} for a key`;
  if (isOwner) return status === 401 || status === 403 || status >= 500 ? `${status} for the owner` : undefined;
  if (credential === 'read-only') {
    const isAllowed = scope === undefined || scope === 'read';
    if (isAllowed) return status === 401 || status === 403 ? `${status} with the scope that is asked for` : undefined;
    return status === 403 ? undefined : `${status} without the scope ${scope}`;
  }
  if (status !== 401) return `${status} without a good credential`;
  return response.headers.get('www-authenticate') === 'Bearer' ? undefined : 'no WWW-Authenticate: Bearer';
}

function hasDetail(text: string): boolean {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    return (typeof detail === 'string' && detail !== '') || (Array.isArray(detail) && detail.length > 0);
  } catch {
    return false;
  }
}
