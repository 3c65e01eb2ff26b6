import { defineOperation } from '@berth/accounts';
import { sqlRequestSchema, sqlRowSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { SqlRunner } from '@berth/logstore';
import { z } from '@hono/zod-openapi';

/** Dependencies of {@link registerRunSql}. */
export interface SqlRouteDeps {
  readonly sql: Pick<SqlRunner, 'run'>;
}

/** `POST /v1/sql`. Disconnecting cancels the query. */
export const registerRunSql = defineOperation(
  'POST /v1/sql',
  {
    scope: 'logs',
    operationId: 'runSql',
    tags: ['Logs'],
    summary: "Query the account's logs and billing rows with SQL",
    request: { body: jsonBody(sqlRequestSchema) },
    responses: { 200: jsonResponse(z.array(sqlRowSchema), 'The rows') },
  },
  async (c, { sql }: SqlRouteDeps) => {
    const { accountId } = c.get('principal');
    const rows = await sql.run(accountId, c.req.valid('json').query, c.req.raw.signal);
    // The rows are JSON text already. Parsing them only to write them again would double the memory.
    return c.body(rows, 200, { 'Content-Type': 'application/json' }) as never;
  },
);
