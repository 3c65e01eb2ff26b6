import { z } from '@hono/zod-openapi';

/** The state of a mail: waiting for its next attempt, accepted by the mail server, or given up. */
export const mailStateSchema = z.enum(['queued', 'sent', 'dead']);

export type MailState = z.infer<typeof mailStateSchema>;

/** A mail of the last month. Its text is not shown: it may contain a link that signs a person in. */
export const storedMailSchema = z
  .object({
    id: z.string(),
    kind: z.string().openapi({ example: 'invite' }),
    to: z.string(),
    state: mailStateSchema,
    attempts: z.int(),
    last_error: z.string().nullable().openapi({ description: "The mail server's answer to the last failed attempt" }),
    next_attempt_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .openapi('StoredMail');

export type StoredMail = z.infer<typeof storedMailSchema>;

/** Response of `GET /v1/admin/mail`. */
export const mailReportSchema = z
  .object({
    is_configured: z.boolean().openapi({ description: 'False when the server has no SMTP settings and sends no mail' }),
    counts: z.object({ queued: z.int(), sent: z.int(), dead: z.int() }),
    mails: z.array(storedMailSchema).openapi({ description: 'Newest first, at most 100' }),
  })
  .openapi('MailReport');

export type MailReport = z.infer<typeof mailReportSchema>;

/** Body of `POST /v1/admin/mail/test`. */
export const testMailRequestSchema = z.object({ email: z.email().max(254) }).openapi('TestMail');

/** Body of `POST /v1/user/email`. */
export const changeEmailRequestSchema = z.object({ email: z.email().max(254) }).openapi('ChangeEmail');

/** Body of `POST /v1/auth/email/confirm`. */
export const confirmEmailRequestSchema = z
  .object({ token: z.string().min(1).max(100).openapi({ description: 'The part of the link after #' }) })
  .openapi('ConfirmEmail');

/** Response of `POST /v1/auth/email/confirm`. */
export const changedEmailSchema = z.object({ email: z.string() }).openapi('ChangedEmail');
