import type { AlertCondition } from '@berth/contract';
import { UsageError } from '../../errors/usage-error.ts';

/** Options of a condition and of the channels, which creating and changing an alert share. */
export const ALERT_OPTIONS = {
  '--on <condition>': 'crash_loop, error_rate, latency_p95, deploy_failed, budget, storage or certificate_expiring',
  '--crashes <number>': 'crash_loop: crashes and failed starts in the window; 3 by default',
  '--percent <number>': 'error_rate: share of failed requests; storage: share of the plan, 90 by default',
  '--milliseconds <number>': 'latency_p95: limit of the 95th percentile',
  '--amount <number>': 'budget: cost of the calendar month (UTC)',
  '--days <number>': 'certificate_expiring: days until it expires; 14 by default',
  '--window <seconds>': 'Time over which it is measured, 60-3600',
  '--min-requests <number>': 'error_rate, latency_p95: fewer requests fire nothing; 10 by default',
  '--email <address>': { description: 'Confirmed address of a member', isRepeatable: true },
  '--webhook <url>': 'https:// URL that gets signed requests; none removes it',
  '--resolve-after <seconds>': 'Time for which the condition must be over; 300 by default',
} as const;

/** Values of {@link ALERT_OPTIONS}. */
export interface AlertOptions {
  readonly on?: string;
  readonly crashes?: string;
  readonly percent?: string;
  readonly milliseconds?: string;
  readonly amount?: string;
  readonly days?: string;
  readonly window?: string;
  readonly minRequests?: string;
  readonly email?: readonly string[];
  readonly webhook?: string;
  readonly resolveAfter?: string;
}

const CONDITION_FIELDS = {
  crashes: ['crashes', '--crashes'],
  percent: ['percent', '--percent'],
  milliseconds: ['milliseconds', '--milliseconds'],
  amount: ['amount', '--amount'],
  days: ['days', '--days'],
  window: ['window_seconds', '--window'],
  minRequests: ['min_requests', '--min-requests'],
} as const;

/** Returns the condition; undefined without `--on`. The server checks the values. @throws UsageError */
export function readCondition(options: AlertOptions): AlertCondition | undefined {
  const fields = Object.entries(CONDITION_FIELDS).flatMap(([key, [field, flag]]) => {
    const text = options[key as keyof typeof CONDITION_FIELDS];
    return text === undefined ? [] : [[field, readNumber(flag, text)] as const];
  });
  if (options.on !== undefined) return { type: options.on, ...Object.fromEntries(fields) } as AlertCondition;
  if (fields.length === 0) return undefined;
  throw new UsageError('Name the condition with --on, such as --on error_rate.');
}

/** Returns the fields of a request for the channels. @throws UsageError */
export function readChannels({ email, webhook, resolveAfter }: AlertOptions) {
  return {
    ...(email === undefined ? {} : { emails: [...email] }),
    ...(webhook === undefined ? {} : { webhook_url: webhook === 'none' ? null : webhook }),
    ...(resolveAfter === undefined ? {} : { resolve_after_seconds: readNumber('--resolve-after', resolveAfter) }),
  };
}

function readNumber(flag: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new UsageError(`${flag} must be a number`);
  return value;
}
