import { z } from '@hono/zod-openapi';

/** A boolean query parameter: true when present without a value; otherwise a word for true or false. */
export const flagSchema = z
  .enum(['', '1', 'true', 'yes', '0', 'false', 'no'])
  .transform((word) => !['0', 'false', 'no'].includes(word));
