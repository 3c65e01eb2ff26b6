import type { Deployment, DeploySummary, Domain, LogEntry, ScheduleRun } from '@berth/contract';

/** Share of failed requests of the last hour above which they need attention. */
const ERROR_RATE_HIGH = 0.05;

/** Something about a deployment that a person should look at. */
export interface Attention {
  readonly code:
    | 'deploy_failed'
    | 'variable_missing'
    | 'crashed'
    | 'errors_high'
    | 'domain_unverified'
    | 'schedule_failed';
  readonly deployment: string;
  readonly message: string;
  /** The command that shows more or repairs it. */
  readonly action: string;
}

/** The state of a deployment, as far as the caller knows it. */
export interface DeploymentState {
  readonly deployment: Pick<Deployment, 'name'> & { readonly missing_env?: readonly string[] | undefined };
  readonly lastDeploy?:
    | (Pick<DeploySummary, 'deploy_id' | 'status'> & { readonly message?: string })
    | null
    | undefined;
  readonly lastRun?: Pick<ScheduleRun, 'status' | 'scheduled_at'> | null | undefined;
  readonly domains?: readonly Pick<Domain, 'domain' | 'status'>[];
  /** Requests of the last hour, and those answered with status 500 or above. */
  readonly hour: { readonly requests: number; readonly errors: number };
  /** Crashes and failed starts of the last hour, oldest first. */
  readonly failures?: readonly Pick<LogEntry, 'message'>[];
}

/** Returns what needs attention, the most urgent first. */
export function listAttention(state: DeploymentState): Attention[] {
  const { deployment, lastDeploy, lastRun, domains = [], hour, failures = [] } = state;
  const { name } = deployment;
  const found: Attention[] = [];
  const add = (code: Attention['code'], message: string, action: string) =>
    found.push({ code, deployment: name, message, action });
  if (lastDeploy?.status === 'failed') {
    const reason = lastDeploy.message ? `: ${lastDeploy.message}` : '.';
    add('deploy_failed', `The last deploy of ${name} failed${reason}`, `berth follow ${lastDeploy.deploy_id}`);
  }
  for (const key of deployment.missing_env ?? []) {
    add('variable_missing', `${name} requires the variable ${key}.`, `berth env set ${name} ${key}=VALUE`);
  }
  const newest = failures.at(-1);
  if (newest) {
    const times = failures.length === 1 ? 'once' : `${failures.length} times`;
    const message = `${name} crashed or failed to start ${times} in the last hour: ${newest.message}`;
    add('crashed', message, `berth logs ${name} --since 1h -q 'severity>=ERROR'`);
  }
  if (hour.requests > 0 && hour.errors / hour.requests >= ERROR_RATE_HIGH) {
    const message = `${hour.errors} of ${hour.requests} requests to ${name} failed in the last hour.`;
    add('errors_high', message, `berth logs ${name} --since 1h -q 'httpRequest.status>=500'`);
  }
  if (lastRun?.status === 'failed') {
    add(
      'schedule_failed',
      `The scheduled run of ${name} at ${lastRun.scheduled_at} failed.`,
      `berth cron history ${name}`,
    );
  }
  for (const { domain, status } of domains) {
    if (status === 'pending') {
      add('domain_unverified', `The domain ${domain} of ${name} isn't verified.`, `berth domain verify ${domain}`);
    }
  }
  return found;
}
