import { logQuerySchema } from '@berth/contract';
import { FilterError, parseFilter } from '@berth/logstore';

/** A log filter that `parseFilter` accepts; otherwise an issue names the column. */
export const logFilterSchema = logQuerySchema.superRefine((query, context) => {
  try {
    parseFilter(query);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    context.addIssue({ code: 'custom', message: error.message, params: { type: 'query_invalid' } });
  }
});
