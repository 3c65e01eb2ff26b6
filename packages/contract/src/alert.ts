import { z } from '@hono/zod-openapi';

const windowSchema = (seconds: number) =>
  z.int().min(60).max(3_600).default(seconds).openapi({ description: 'The time over which it is measured' });
const minRequestsSchema = z.int().min(1).max(1_000_000).default(10).openapi({
  description: 'With fewer requests in the window, the alert does not fire',
});

/** The state of a service or an account in which an alert fires. */
export const alertConditionSchema = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('crash_loop'),
      crashes: z.int().min(1).max(1_000).default(3).openapi({ description: 'Crashes and failed starts in the window' }),
      window_seconds: windowSchema(600),
    }),
    z.object({
      type: z.literal('error_rate'),
      percent: z.number().gt(0).max(100).openapi({ description: 'Share of responses with status 500 or above' }),
      min_requests: minRequestsSchema,
      window_seconds: windowSchema(300),
    }),
    z.object({
      type: z.literal('latency_p95'),
      milliseconds: z.number().gt(0).max(3_600_000),
      min_requests: minRequestsSchema,
      window_seconds: windowSchema(300),
    }),
    z.object({ type: z.literal('deploy_failed') }),
    z.object({
      type: z.literal('budget'),
      amount: z
        .number()
        .gt(0)
        .openapi({ description: 'Cost of the calendar month (UTC), in the currency of the prices' }),
    }),
    z.object({
      type: z.literal('storage'),
      percent: z
        .number()
        .gt(0)
        .max(100)
        .default(90)
        .openapi({ description: "Share of the plan's storage for volumes" }),
    }),
    z.object({
      type: z.literal('certificate_expiring'),
      days: z.int().min(1).max(90).default(14).openapi({
        description: "Days until the certificate of a custom domain expires; Berth's own are renewed 30 days before",
      }),
    }),
  ])
  .openapi('AlertCondition');

export type AlertCondition = z.infer<typeof alertConditionSchema>;

const titleSchema = z.string().trim().min(1).max(100);
const emailsSchema = z.array(z.email()).max(20).openapi({
  description: 'Members of the account whose address is confirmed',
});
const webhookUrlSchema = z
  .url({ protocol: /^https?$/ })
  .max(2_000)
  .nullable()
  .openapi({
    description: 'A public https URL, or null',
  });
const resolveAfterSchema = z.int().min(0).max(86_400).openapi({
  description: 'Seconds for which the condition must be over before the alert resolves',
});

/** Body of `POST /v1/alerts`. */
export const createAlertRequestSchema = z
  .object({
    title: titleSchema,
    condition: alertConditionSchema,
    deployment_name: z.string().min(1).max(63).nullish().openapi({ description: 'All deployments by default' }),
    emails: emailsSchema.default([]),
    webhook_url: webhookUrlSchema.default(null),
    resolve_after_seconds: resolveAfterSchema.default(300),
  })
  .openapi('CreateAlert');

/** Body of `POST /v1/alerts/update`. Absent fields stay as they are. */
export const updateAlertRequestSchema = z
  .object({
    id: z.string().min(1),
    title: titleSchema.optional(),
    condition: alertConditionSchema.optional(),
    emails: emailsSchema.optional(),
    webhook_url: webhookUrlSchema.optional(),
    resolve_after_seconds: resolveAfterSchema.optional(),
    is_enabled: z.boolean().optional(),
  })
  .openapi('UpdateAlert');

/** Body of the routes that name an alert. */
export const alertIdRequestSchema = z.object({ id: z.string().min(1) }).openapi('AlertId');

/** A rule that fires when its condition begins, and resolves when it is over. */
export const alertSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    condition: alertConditionSchema,
    deployment_name: z.string().nullable(),
    emails: z.array(z.string()),
    webhook_url: z.string().nullable(),
    resolve_after_seconds: z.int(),
    is_enabled: z.boolean(),
    firing: z
      .array(z.object({ deployment_name: z.string().nullable(), since: z.iso.datetime() }))
      .openapi({ description: 'Deployments for which it is firing; null stands for the account' }),
    created_at: z.iso.datetime(),
  })
  .openapi('Alert');

export type Alert = z.infer<typeof alertSchema>;

/** Response of the routes that make a webhook's secret. The secret is returned only here. */
export const alertWithSecretSchema = alertSchema
  .extend({
    webhook_secret: z.string().nullable().openapi({ description: '`whsec_…`; null unless a secret was made' }),
  })
  .openapi('AlertWithSecret');

/** Query of `GET /v1/alerts/history`. */
export const alertHistoryQuerySchema = z.object({
  id: z.string().min(1).optional().openapi({ description: 'Return the events of this alert only' }),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

/** A change of state, with its notifications. */
export const alertEventSchema = z
  .object({
    id: z.string().openapi({ description: 'The `webhook-id` of its requests' }),
    alert_id: z.string(),
    title: z.string(),
    kind: z.enum(['firing', 'resolved', 'test']),
    deployment_name: z.string().nullable(),
    message: z.string(),
    time: z.iso.datetime(),
    deliveries: z.array(
      z.object({
        channel: z.enum(['email', 'webhook']),
        target: z.string(),
        state: z.enum(['queued', 'sent', 'dead']),
        attempts: z.int(),
        last_error: z.string().nullable(),
      }),
    ),
  })
  .openapi('AlertEvent');

export type AlertEvent = z.infer<typeof alertEventSchema>;
