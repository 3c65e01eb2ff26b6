import { createError } from '@berth/contract';

/**
 * Refuses a log filter, which has been validated; an empty one is none.
 * @throws `not_available`
 */
export function refuseQuery(query: string | null | undefined): void {
  if (query === undefined || query === null || query.trim() === '') return;
  throw createError('not_available', 'The filter language of logs comes with a later version; leave "query" out.');
}
