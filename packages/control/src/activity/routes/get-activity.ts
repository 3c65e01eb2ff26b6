import { defineOperation } from '@berth/accounts';
import { activityQuerySchema, activitySchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import type { RequestActivity } from '../create-activity.ts';

/** `GET /v1/activity` [+]. */
export const registerGetActivity = defineOperation(
  'GET /v1/activity',
  {
    scope: 'read',
    operationId: 'getActivity',
    tags: ['Logs'],
    summary: 'Get requests and errors of all deployments over time, for lists and sparklines',
    description: 'Includes deployments deleted since then. `GET /v1/deployment/metrics` has more of one.',
    request: { query: activityQuerySchema },
    responses: { 200: jsonResponse(activitySchema, 'Deployments with requests, by name') },
  },
  (c, { activity }: { readonly activity: Pick<RequestActivity, 'list'> }) =>
    c.json(activity.list(c.get('principal').accountId, c.req.valid('query').window), 200),
);
