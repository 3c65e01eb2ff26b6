import { z } from '@hono/zod-openapi';

/** A flag of a query: there, or with a word that says yes or no. */
export const flagSchema = z
  .enum(['', '1', 'true', 'yes', '0', 'false', 'no'])
  .transform((word) => !['0', 'false', 'no'].includes(word));
