import { z } from '@hono/zod-openapi';

/** Body of `POST /v1/sql`. */
export const sqlRequestSchema = z
  .object({
    query: z.string().openapi({
      description: "One SELECT over `logs` and `billing`, which contain only the account's rows",
      example: "SELECT severity, COUNT(*) AS n FROM logs WHERE resource.labels.service_name = 'shop' GROUP BY severity",
    }),
  })
  .openapi('SqlRequest');

export type SqlRequest = z.input<typeof sqlRequestSchema>;

/** A row of an SQL result. Its keys are the columns, in order. */
export const sqlRowSchema = z.record(z.string(), z.unknown()).openapi('SqlRow');

export type SqlRow = z.infer<typeof sqlRowSchema>;
