import { z } from '@hono/zod-openapi';

/** What a key may be allowed to do. Source: spec control-plane 8. */
export const SCOPES = ['read', 'deploy', 'volumes', 'logs', 'billing', 'admin'] as const;

export const scopeSchema = z.enum(SCOPES).openapi('Scope', {
  description:
    'read: list and get. deploy: deploy, roll back, delete, environment. volumes: change volumes and their objects. ' +
    'logs: read logs and run SQL. billing: subscription and cost. admin: keys and audit log, and all of the others.',
});

export type Scope = z.infer<typeof scopeSchema>;

/** True when `granted` allows what `needed` guards: `admin` implies every scope, no other one implies anything. */
export function hasScope(granted: readonly Scope[], needed: Scope): boolean {
  return granted.includes('admin') || granted.includes(needed);
}
