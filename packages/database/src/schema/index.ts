import type { AccountsSchema } from './accounts.ts';
import type { AuditSchema } from './audit.ts';
import type { AuthSchema } from './auth.ts';
import type { BillingSchema } from './billing.ts';
import type { DeploymentsSchema } from './deployments.ts';
import type { DomainsSchema } from './domains.ts';
import type { IdentitySchema } from './identity.ts';
import type { LogsSchema } from './logs.ts';
import type { ResourceUsageSchema } from './resource-usage.ts';
import type { SchedulesSchema } from './schedules.ts';

/**
 * All tables. Rules that hold for every one of them, so that SQLite and Postgres can share the migrations:
 * text, integer (32 bits), bigint and double only; JSON is text; booleans are 0 or 1; our times are epoch milliseconds in
 * a bigint.
 */
export interface Database
  extends AccountsSchema,
    AuditSchema,
    AuthSchema,
    BillingSchema,
    DeploymentsSchema,
    DomainsSchema,
    ResourceUsageSchema,
    IdentitySchema,
    LogsSchema,
    SchedulesSchema {}

export type * from './accounts.ts';
export type * from './audit.ts';
export type * from './auth.ts';
export type * from './billing.ts';
export type * from './deployments.ts';
export type * from './domains.ts';
export type * from './identity.ts';
export type * from './logs.ts';
export type * from './resource-usage.ts';
export type * from './schedules.ts';
