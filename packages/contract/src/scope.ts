import { z } from '@hono/zod-openapi';
import { ROLES, SCOPES } from './rights.ts';

/** A permission of a key. */
export const scopeSchema = z.enum(SCOPES).openapi('Scope', {
  description:
    'read: list and get. deploy: deploy, roll back, delete, environment. exec: run commands in services. volumes: change volumes and their objects. ' +
    'logs: read logs and run SQL. billing: subscription and cost. admin: keys and audit log, and all of the others.',
});

/** The role of a member in an account. */
export const roleSchema = z.enum(ROLES).openapi('Role', {
  description:
    'owner: everything. admin: everything except managing owners. member: everything except keys, members and the audit log.',
});
