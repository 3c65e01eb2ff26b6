import {
  changedEmailSchema,
  changeEmailRequestSchema,
  confirmEmailRequestSchema,
  createError,
  mailReportSchema,
  messageSchema,
  requestPasswordResetSchema,
  testMailRequestSchema,
} from '@berth/contract';
import { clientAddress, jsonBody, jsonResponse } from '@berth/http';
import type { Clock, IdSource } from '@berth/kit';
import { chooseMailLanguage, composeMail } from '@berth/mail';
import { auditSource } from '../audit/audit-log.ts';
import type { Api, ApiContext } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import { createRateLimiter } from '../limits/rate-limiter.ts';
import { type AccountMail, requireMail } from '../mail/account-mail.ts';
import type { PasswordResets } from '../passwords/password-resets.ts';
import type { EmailChanges } from '../people/email-changes.ts';
import { requirePerson } from '../principal/principal.ts';
import { networkOf } from '../sessions/session-place.ts';
import { limitSessionCalls } from './get-session.ts';

const requestResetRoute = defineRoute('POST /v1/auth/password-reset/request', {
  scope: 'public',
  errors: ['not_available'],
  operationId: 'requestPasswordReset',
  tags: ['Sign-in'],
  summary: 'Mail a password reset link to a person',
  description: 'The answer and its time are the same whether or not a person has the address.',
  request: { body: jsonBody(requestPasswordResetSchema) },
  responses: { 200: jsonResponse(messageSchema, 'If a person with a password has the address, a link is on its way') },
});

const changeEmailRoute = defineRoute('POST /v1/user/email', {
  scope: 'session',
  errors: ['not_available'],
  operationId: 'changeEmail',
  tags: ['Account'],
  summary: 'Mail a link to a new address, with which you confirm it',
  description:
    'Needs a sign-in within the last 15 minutes. The answer is the same for an address that another person has.',
  request: { body: jsonBody(changeEmailRequestSchema) },
  responses: { 200: jsonResponse(messageSchema, 'The link is on its way; it works once, within an hour') },
});

const confirmEmailRoute = defineRoute('POST /v1/auth/email/confirm', {
  scope: 'public',
  errors: ['not_found'],
  operationId: 'confirmEmail',
  tags: ['Sign-in'],
  summary: 'Change the address of a person with the link that was mailed to it',
  request: { body: jsonBody(confirmEmailRequestSchema) },
  responses: { 200: jsonResponse(changedEmailSchema, 'The new address; the former one gets a notice') },
});

const reportRoute = defineRoute('GET /v1/admin/mail', {
  scope: 'admin',
  isOperatorOnly: true,
  operationId: 'listMail',
  tags: ['Admin'],
  summary: 'List the newest mails and their state',
  responses: { 200: jsonResponse(mailReportSchema, 'Newest first, without their text') },
});

const testRoute = defineRoute('POST /v1/admin/mail/test', {
  scope: 'admin',
  isOperatorOnly: true,
  errors: ['not_available', 'conflict'],
  operationId: 'testMail',
  tags: ['Admin'],
  summary: 'Send a test mail now',
  request: { body: jsonBody(testMailRequestSchema) },
  responses: { 200: jsonResponse(messageSchema, 'The mail server accepted the mail') },
});

/** Requests for reset links, per network. */
const NETWORK_LIMIT = { windowSeconds: 60, max: 10 } as const;

/** The dependencies of the routes. */
export interface MailRouteDeps {
  readonly accountMail: AccountMail | undefined;
  readonly passwordResets: Pick<PasswordResets, 'request'>;
  readonly emailChanges: EmailChanges;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** Registers the routes of e-mail. Without SMTP settings most of them answer 501. */
export function registerMailRoutes(api: Api, deps: MailRouteDeps): void {
  const { accountMail, passwordResets, emailChanges, clock, ids } = deps;
  const limit = limitSessionCalls(clock);
  const limiter = createRateLimiter(clock);
  const languageOf = (c: ApiContext) => chooseMailLanguage(c.req.header('accept-language'));
  api.openapi(requestResetRoute, async (c) => {
    limiter.take(networkOf(clientAddress(c) ?? ''), NETWORK_LIMIT);
    await passwordResets.request(c.req.valid('json').email, languageOf(c));
    return c.json({ detail: 'If this address belongs to a person with a password, a link is on its way.' }, 200);
  });
  api.openapi(changeEmailRoute, async (c) => {
    const principal = c.get('principal');
    const { sessionId } = principal;
    const { email } = c.req.valid('json');
    const change = { userId: requirePerson(principal), sessionId, email, language: languageOf(c) };
    await emailChanges.begin(change, auditSource(c));
    return c.json({ detail: 'Open the link in the mail to confirm your new address.' }, 200);
  });
  api.openapi(confirmEmailRoute, async (c) => {
    limit(c);
    return c.json(await emailChanges.confirm(c.req.valid('json').token, c.get('requestId')), 200);
  });
  api.openapi(reportRoute, async (c) => {
    const counts = (await accountMail?.outbox.counts()) ?? { queued: 0, sent: 0, dead: 0 };
    const mails = [...((await accountMail?.outbox.list()) ?? [])];
    return c.json({ is_configured: accountMail !== undefined, counts, mails }, 200);
  });
  api.openapi(testRoute, async (c) => {
    const { transport } = requireMail(accountMail);
    const { email: to } = c.req.valid('json');
    const mail = composeMail({ kind: 'test' }, languageOf(c) ?? 'en');
    try {
      await transport.send({ id: ids.next('eml'), to, createdAtMs: clock.nowMs(), ...mail });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw createError('conflict', `The mail server didn't accept the mail: ${reason}`, { cause });
    }
    return c.json({ detail: `The mail server accepted the mail to ${to}.` }, 200);
  });
}
