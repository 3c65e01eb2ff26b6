import type { Alert, AlertCondition } from '@berth/contract';

const span = (seconds: number) => (seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`);

const WORDS: { readonly [Type in AlertCondition['type']]: (one: Extract<AlertCondition, { type: Type }>) => string } = {
  crash_loop: (one) => `${one.crashes} crashes in ${span(one.window_seconds)}`,
  error_rate: (one) => `errors > ${one.percent} % over ${span(one.window_seconds)}`,
  latency_p95: (one) => `p95 > ${one.milliseconds} ms over ${span(one.window_seconds)}`,
  deploy_failed: () => 'deploy failed',
  budget: (one) => `cost of the month >= ${one.amount}`,
  storage: (one) => `storage >= ${one.percent} %`,
  certificate_expiring: (one) => `certificate expires within ${one.days} d`,
};

/** Returns a condition in a few words. */
export function describeCondition(condition: AlertCondition): string {
  const describe = WORDS[condition.type] as ((one: AlertCondition) => string) | undefined;
  return describe?.(condition) ?? condition.type;
}

/** Returns what an alert fires for; `ok` for nothing. */
export function describeState({ is_enabled: isEnabled, firing }: Alert): string {
  if (!isEnabled) return 'disabled';
  if (firing.length === 0) return 'ok';
  return `firing: ${firing.map(({ deployment_name: name }) => name ?? 'account').join(', ')}`;
}
