import { LIMITS } from '@berth/contract';
import type { LogInput } from '@berth/logstore';
import type { ClaimedAttempt, RecordedEnd } from './run-leases.ts';

/** Returns the log line of a failed attempt, which says when the next one is. */
export function describeFailedAttempt(
  { attempt, scheduledAtMs }: ClaimedAttempt,
  error: string,
  end: RecordedEnd,
): LogInput {
  const due = new Date(scheduledAtMs).toISOString();
  const next =
    end.nextAttemptAtMs === null
      ? 'It is not tried again.'
      : `It is tried again at ${new Date(end.nextAttemptAtMs).toISOString()}.`;
  return {
    logName: 'system',
    severity: end.status === 'failed' ? 'ERROR' : 'WARNING',
    message: `Scheduled run of ${due}, try ${attempt} of ${LIMITS.scheduleAttempts}: ${error} ${next}`,
  };
}
