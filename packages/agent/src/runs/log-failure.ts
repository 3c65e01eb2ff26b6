import { randomBytes } from 'node:crypto';
import { BudgetUsed, traceFieldsOf } from '@berth/agent-core';
import { describeError, type Logger } from '@berth/kit';

/**
 * Logs why a turn failed, and returns the sentence for the caller. It ends in the reference by which the owner finds the line
 * (`error_id`), and says nothing of the error itself, unless it is a budget that is used up. Source: docs/contract/agent-api.md §2, "Frames".
 */
export function logFailure(error: unknown, logger: Logger, what = 'Something went wrong while answering.'): string {
  const reference = randomBytes(4).toString('hex');
  if (error instanceof BudgetUsed) {
    logger.warn({ ...traceFieldsOf(error), error_id: reference }, error.message);
    return `${error.message} Reference ${reference}`;
  }
  const fields = { ...traceFieldsOf(error), error_id: reference, error: describeError(error) };
  logger.error(fields, `a turn failed, reference ${reference}`);
  return `${what} Try again, or give the owner of this agent the reference ${reference}`;
}
