import { defineOperation } from '@berth/accounts';
import { reconcileRequestSchema, reconciliationSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import type { Clock } from '@berth/kit';
import { utcDay } from '../../metering/usage-meter.ts';
import { type ReconcileDeps, reconcile } from '../usage/reconcile.ts';

const DAY_MS = 86_400_000;

/** `GET /v1/admin/reconcile` [+]. */
export const registerReconcileUsage = defineOperation(
  'GET /v1/admin/reconcile',
  {
    scope: 'admin',
    isOperatorOnly: true,
    operationId: 'reconcileUsage',
    tags: ['Admin'],
    summary: 'Compare metered usage with the request log, for all accounts',
    request: { query: reconcileRequestSchema },
    responses: { 200: jsonResponse(reconciliationSchema, 'The comparison, with differences of more than 1 %') },
  },
  async (c, { clock, flush, ...deps }: ReconcileDeps & { readonly clock: Clock; flush(): Promise<void> }) => {
    const from = c.req.valid('query').from ?? utcDay(clock.nowMs() - DAY_MS);
    await flush();
    return c.json(await reconcile(deps, from, c.req.raw.signal), 200);
  },
);
