import { deployEvent, type Handler } from '@berth/client/testing';

/** What renames the window, clears the screen and moves the cursor, in seven and eight bits. */
const EVIL = 'x\u001b]0;owned\u0007\u001b[2J\u009b1;1Hy\r';
const TIME = '2026-01-01T00:00:00Z';
const mount = { name: 'data', read_only: true, sub_path: '' };
const deployment = {
  ...{
    name: EVIL,
    url: `http://${EVIL}`,
    region: EVIL,
    status: 'ready',
    revision: EVIL,
    port: 1,
    memory: '1Gi',
    cpu: 1,
  },
  ...{ timeout: 1, concurrency: 1, max_instances: 0, min_instances: 0, session_affinity: false, use_http2: false },
  ...{ created_at: EVIL, updated_at: EVIL, volumes: { '/data': mount }, health: null, instances: 1, busy: 1 },
  schedule: { cron: '0 3 * * *', timezone: 'UTC' },
  revisions: [{ revision: EVIL, status: 'ready', created_at: EVIL, digest: EVIL }],
};
const domain = {
  ...{ domain: EVIL, deployment_name: EVIL, status: 'pending', target: EVIL, created_at: TIME, verified_at: null },
  proof: { txt: { name: EVIL, value: EVIL }, http: { url: EVIL, body: EVIL } },
  problems: [{ method: 'txt', message: EVIL }],
};
const scheduleRun = {
  ...{ id: 'run_1', deployment_name: EVIL, trigger: EVIL, scheduled_at: TIME, status: 'failed', ended_at: TIME },
  attempts: [{ attempt: 1, started_at: TIME, ended_at: TIME, status: null, error: EVIL }],
  next_attempt_at: null,
};
const key = { id: EVIL, name: EVIL, start: EVIL, scopes: [EVIL], last_used_at: null, expires_at: EVIL, secret: 's' };
const member = { user_id: EVIL, name: EVIL, email: EVIL, role: EVIL, joined_at: EVIL, is_you: true };
const detail = { detail: EVIL, complete: true, status: 'applied', deploy_id: EVIL };
const deploys = [
  { deploy_id: EVIL, deployment: EVIL, kind: EVIL, status: 'failed', message: EVIL, code: EVIL, revision: EVIL },
].map((one) => ({ ...one, actor: { kind: 'key', id: EVIL, name: EVIL }, created_at: TIME, ended_at: TIME }));
const limits = { deployments: 1, volumes: 1, max_instances: 1, memory: EVIL, storage_bytes: 1, log_retention_days: 1 };
const volume = { name: EVIL, size_bytes: 1, object_count: 1, created_at: EVIL, attached_to: [EVIL] };
const point = { time: TIME, requests: 1, errors: 0, p50_ms: 1, p95_ms: 1, p99_ms: 1, instances: 1, cold_starts: 0 };

const events: Handler = ({ response }) => {
  const steps = [deployEvent(1, 'BUILDING', EVIL), deployEvent(2, 'BUILDING', EVIL, { log: true })];
  response.end([...steps, deployEvent(3, 'DONE', EVIL, { url: EVIL, revision: EVIL })].join(''));
};

/** A repository as such a server shows it. */
const EVIL_REPOSITORY = {
  ...{ id: EVIL, deployment_name: EVIL, forge: EVIL, url: EVIL, branch: EVIL, folder: EVIL, hook_url: EVIL },
  ...{ has_token: true, previews_enabled: true, preview_variables: [EVIL], hook_secret: EVIL },
  runs: [{ time: EVIL, commit: EVIL, title: EVIL, pull_request: 1, status: EVIL, deploy_id: EVIL, error: EVIL }],
  previews: [{ pull_request: 1, deployment_name: EVIL, url: EVIL, expires_at: EVIL }],
};

/** An alert as such a server shows it. */
const EVIL_ALERT = {
  ...{ id: EVIL, title: EVIL, condition: { type: EVIL }, deployment_name: EVIL, emails: [EVIL], webhook_url: EVIL },
  ...{ is_enabled: true, firing: [{ deployment_name: EVIL }], webhook_secret: EVIL },
};

/** What a platform answers that is valid in shape and hostile in every text. */
export const HOSTILE_ANSWERS: Readonly<Record<string, object | Handler>> = {
  'GET /v1/deployment/check-name': { available: true, reason: EVIL },
  'GET /v1/deployment/list': [deployment],
  'GET /v1/deployment/instances': [
    {
      ...{ instance: EVIL, deployment_name: EVIL, revision: EVIL, state: 'ready', started_at: EVIL },
      ...{ requests: 1, busy: true, cpu: 0.5, memory_bytes: 1, server: EVIL },
    },
  ],
  'GET /v1/deployment/app': deployment,
  'POST /v1/deploy': async (exchange) => {
    await exchange.body();
    await events(exchange);
  },
  'POST /v1/deployment/redeploy': events,
  'POST /v1/deployment/restart': events,
  'POST /v1/deployment/stop': events,
  'POST /v1/deployment/resume': events,
  'GET /v1/deployment/rollback/preview': {
    ...{ from: EVIL, to: EVIL, build: { from: EVIL, to: EVIL }, settings: [{ field: EVIL, from: EVIL, to: EVIL }] },
    ...{ schedule: { from: { cron: EVIL, timezone: EVIL }, to: null }, created_volumes: [EVIL] },
    volumes: [{ mount_path: EVIL, from: null, to: { name: EVIL, sub_path: EVIL, read_only: true } }],
    variables: [{ key: EVIL, change: 'added' }],
  },
  'POST /v1/deployment/rollback': events,
  'POST /v1/deployment/traffic': {
    ...{ split: [{ revision: EVIL, percent: 90 }], tags: [{ tag: EVIL, revision: EVIL, url: EVIL }] },
    canary: { revision: EVIL, deploy_id: EVIL, ends_at: EVIL },
  },
  'GET /v1/deploys/dep_1/events': events,
  'POST /v1/deploys/dep_1/cancel': detail,
  'GET /v1/deploys': { deploys, next_page_token: null },
  'POST /v1/deployment/delete': detail,
  'POST /v1/deployment/logs': {
    logs: [{ timestamp: EVIL, severity: 'ERROR', message: EVIL }],
    cursor: null,
  },
  'GET /v1/deployment/metrics': {
    step_seconds: 60,
    points: [{ ...point, cold_start_ms: null, cpu_seconds: 1, memory_bytes: 1, memory_max_bytes: 1 }],
  },
  'POST /v1/env/set': detail,
  'POST /v1/env/refresh': detail,
  'POST /v1/env/shared/set': { ...detail, deployments: [{ name: EVIL, deploy_id: EVIL }] },
  'GET /v1/git/app': { name: EVIL, url: EVIL, branch: EVIL, commit: EVIL },
  'GET /v1/env/shared': [{ key: EVIL, updated_at: EVIL, value: EVIL, deployments: [EVIL] }],
  'GET /v1/env/list': [{ key: EVIL, updated_at: EVIL, value: EVIL }],
  'POST /v1/domain/add': domain,
  'POST /v1/domain/verify': domain,
  'GET /v1/domain/list': [domain],
  'POST /v1/domain/remove': detail,
  'POST /v1/volume/create': { name: EVIL, created: true },
  'GET /v1/volume/list': [volume, { ...volume, name: 'data' }],
  'GET /v1/volume/deleted': [{ ...volume, deleted_at: EVIL, restorable_until: EVIL }],
  'GET /v1/volume/objects': { objects: [{ path: EVIL, size: 1, updated: EVIL }], next_page_token: null },
  'POST /v1/volume/move-object': detail,
  'POST /v1/volume/delete-object': detail,
  'POST /v1/volume/delete': detail,
  'POST /v1/volume/restore': detail,
  'GET /v1/schedule/list': [
    { deployment_name: EVIL, cron: EVIL, timezone: EVIL, next_run_at: EVIL, last_run: scheduleRun },
  ],
  'GET /v1/schedule/runs': { runs: [scheduleRun], next_page_token: null },
  'POST /v1/schedule/run': scheduleRun,
  'GET /v1/user': { account: { id: EVIL, name: EVIL }, user: { name: EVIL, email: EVIL }, key, scopes: [EVIL] },
  'GET /v1/activity': {
    ...{ start: TIME, step_seconds: 60, is_complete: true },
    deployments: [{ name: EVIL, requests: [1], errors: [0] }],
  },
  'POST /v1/sql': [{ [EVIL]: EVIL, deployment: EVIL, cost: 1, currency: EVIL }],
  'GET /v1/user/subscription': {
    ...{ plan: EVIL, status: EVIL, currency: EVIL, cancel_at_period_end: false, limits },
    ...{ current_period_start: EVIL, current_period_end: EVIL },
    usage: {
      cpu_seconds: 1,
      memory_gib_seconds: 1,
      requests: 1,
      egress_bytes: 1,
      storage_gib_months: 1,
      build_seconds: 1,
      cost: 1,
    },
  },
  'GET /v1/user/plans': [{ name: EVIL, limits, is_current: true }],
  'GET /v1/user/keys': [key],
  'POST /v1/user/keys': key,
  'DELETE /v1/user/keys': detail,
  'GET /v1/user/members': [member],
  'POST /v1/user/members': member,
  'POST /v1/user/members/reset-password': { user_id: EVIL, email: EVIL, link: EVIL, expires_at: EVIL },
  'DELETE /v1/user/members': detail,
  'GET /v1/user/invites': [{ id: EVIL, role: EVIL, email: EVIL, expires_at: EVIL }],
  'POST /v1/user/invites': { role: EVIL, link: EVIL },
  'DELETE /v1/user/invites': detail,
  'POST /v1/user/leave': detail,
  'GET /v1/user/sessions': [
    { id: EVIL, is_current: true, address: EVIL, user_agent: EVIL, created_at: EVIL, last_used_at: EVIL },
  ],
  'DELETE /v1/user/sessions': detail,
  'GET /v1/user/identities': {
    identities: [{ id: EVIL, name: EVIL, issuer: EVIL, provider: null, created_at: EVIL }],
  },
  'DELETE /v1/user/identities': detail,
  'GET /v1/user/passkeys': [{ id: EVIL, name: EVIL, is_synced: true, created_at: EVIL, last_used_at: EVIL }],
  'POST /v1/user/passkeys/rename': { id: EVIL, name: EVIL },
  'DELETE /v1/user/passkeys': detail,
  'POST /v1/user/profile': { name: EVIL },
  'POST /v1/repositories': EVIL_REPOSITORY,
  'GET /v1/repositories': EVIL_REPOSITORY,
  'DELETE /v1/repositories': { detail: EVIL },
  'POST /v1/repositories/preview-env': EVIL_REPOSITORY,
  'GET /v1/alerts': [EVIL_ALERT],
  'POST /v1/alerts': EVIL_ALERT,
  'POST /v1/alerts/update': EVIL_ALERT,
  'POST /v1/alerts/rotate-secret': EVIL_ALERT,
  'POST /v1/alerts/test': { id: EVIL },
  'DELETE /v1/alerts': { detail: EVIL },
  'GET /v1/alerts/history': [
    {
      ...{ time: EVIL, title: EVIL, kind: EVIL, message: EVIL },
      deliveries: [{ channel: EVIL, state: EVIL, last_error: EVIL }],
    },
  ],
  'POST /v1/user/email': { detail: EVIL },
  'POST /v1/admin/mail/test': { detail: EVIL },
  'GET /v1/admin/mail': {
    is_configured: true,
    counts: { queued: 1, sent: 0, dead: 0 },
    mails: [{ kind: EVIL, to: EVIL, state: 'queued', attempts: 1, last_error: EVIL, created_at: EVIL }],
  },
  'POST /v1/user/token': { token: 'jwt', expires_at: TIME },
  'GET /v1/user/audit': {
    entries: [{ time: EVIL, action: EVIL, target: EVIL, actor: { kind: EVIL, id: EVIL }, actor_name: EVIL }],
    next_page_token: null,
  },
  'GET /v1/admin/backups': [{ name: EVIL, size_bytes: 1, created_at: TIME }],
  'POST /v1/admin/backups': { name: EVIL, size_bytes: 1, created_at: TIME },
  'POST /v1/admin/prune': { removed: [{ what: 'caches', count: 1, size_bytes: 1 }], size_bytes: 1 },
  'POST /v1/admin/accounts': { account: { id: EVIL, name: EVIL }, key },
  'POST /v1/admin/accounts/plan': { name: EVIL, plan: EVIL },
  'GET /v1/admin/reconcile': {
    checked: 1,
    off: [{ account: EVIL, day: EVIL, resource: EVIL, sku: EVIL, metered: EVIL, logged: EVIL }],
  },
};
