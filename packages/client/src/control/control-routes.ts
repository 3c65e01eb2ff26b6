import type { paths } from '../generated/control-api.ts';
import type { RouteSettings } from '../transport/transport.ts';

/** The server waits up to a minute for the revision to serve. Source: docs/contract/control-plane.md, `SetEnvironmentResponse`. */
const ENVIRONMENT_TIMEOUT_MS = 90_000;
/** A query may take a minute, and wait in the queue before. */
const SQL_TIMEOUT_MS = 180_000;
/** Removing millions of files takes a while; there is one answer, at the end. */
const PRUNE_TIMEOUT_MS = 1_800_000;

/** The routes of the control plane whose calls differ from others. */
export const CONTROL_ROUTES: { readonly [Route in `${'GET' | 'POST'} ${keyof paths}`]?: RouteSettings } = {
  'GET /v1/deployment/list': { isList: true },
  'GET /v1/env/list': { isList: true },
  'POST /v1/env/set': { timeoutMs: ENVIRONMENT_TIMEOUT_MS },
  'GET /v1/domain/list': { isList: true },
  'POST /v1/domain/verify': { isIdempotent: true },
  'POST /v1/deployment/logs': { isIdempotent: true },
  'POST /v1/deployment/logs/histogram': { isIdempotent: true },
  'POST /v1/deployment/logs/fields': { isIdempotent: true },
  'GET /v1/deployment/metrics': { timeoutMs: SQL_TIMEOUT_MS },
  'POST /v1/sql': { isIdempotent: true, timeoutMs: SQL_TIMEOUT_MS },
  'GET /v1/user/keys': { isList: true },
  'POST /v1/volume/create': { isIdempotent: true },
  'POST /v1/volume/upload': { isIdempotent: true },
  'POST /v1/volume/download': { isIdempotent: true },
  'POST /v1/deploys/{deploy_id}/cancel': { isIdempotent: true },
  'POST /v1/admin/accounts/plan': { isIdempotent: true },
  'POST /v1/admin/prune': { isIdempotent: true, timeoutMs: PRUNE_TIMEOUT_MS },
  'GET /v1/admin/reconcile': { timeoutMs: SQL_TIMEOUT_MS },
};
