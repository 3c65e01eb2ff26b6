import { z } from '@hono/zod-openapi';
import { ROLES } from './rights.ts';

/** The role of a member in an account. */
export const roleSchema = z.enum(ROLES).openapi('Role', {
  description:
    'owner: everything. admin: everything but what concerns owners. member: everything but keys, members and the audit log.',
});
