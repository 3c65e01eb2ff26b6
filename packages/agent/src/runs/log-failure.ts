import { randomBytes } from 'node:crypto';
import { describeError, type Logger } from '@berth/kit';

/**
 * Logs why a turn failed, and returns the sentence for the caller. It ends in the reference by which the owner finds the line
 * (`error_id`), and says nothing of the error itself. Source: docs/contract/agent-api.md §2, "Frames".
 */
export function logFailure(error: unknown, logger: Logger, what = 'Something went wrong while answering.'): string {
  const reference = randomBytes(4).toString('hex');
  logger.error({ error_id: reference, error: describeError(error) }, 'a turn failed');
  return `${what} Try again, or tell the owner of this agent the reference ${reference}`;
}
