import { BerthError } from '@berth/kit';

/** A budget is used up. The message is for the person: it says which budget, and when it starts again. */
export class BudgetUsed extends BerthError {
  constructor(message: string, options: { readonly retryAfterSeconds?: number } = {}) {
    super({ code: 'too_many_requests', status: 429, isRetryable: false, message, details: { ...options } });
  }
}
