import { z } from '@hono/zod-openapi';
import { HEALTH_DEFAULTS, LIMITS } from './limits.ts';
import { toValidationIssues, type ValidationIssue } from './validation-issue.ts';

/** A request by which the platform tells whether an instance can serve. It passes with a status from 200 to 399. */
export const healthCheckSchema = z.object({
  /** Path and query of the GET. */
  path: z
    .string()
    .max(LIMITS.healthPathCharacters)
    .regex(/^\/[\x21\x22\x24-\x7e]*$/, 'must be a path such as /healthz: "/" first, no spaces, no "#"'),
  /** Seconds from the end of one check of a serving instance to the next. */
  interval: z
    .int()
    .min(LIMITS.healthIntervalSecondsMin)
    .max(LIMITS.healthIntervalSecondsMax)
    .default(HEALTH_DEFAULTS.interval),
  /** Seconds until a check without an answer counts as failed. */
  timeout: z
    .int()
    .min(LIMITS.healthTimeoutSecondsMin)
    .max(LIMITS.healthTimeoutSecondsMax)
    .default(HEALTH_DEFAULTS.timeout),
});

export type HealthCheck = z.infer<typeof healthCheckSchema>;

/** A health check of a deployment, with its defaults filled in. */
export const deployedHealthCheckSchema = healthCheckSchema
  .extend({
    interval: healthCheckSchema.shape.interval.unwrap(),
    timeout: healthCheckSchema.shape.timeout.unwrap(),
  })
  .openapi('HealthCheck');

/** A health check as `berth.json` names it: unknown fields are an error there. */
export const healthCheckShape = z.strictObject(healthCheckSchema.shape);

/**
 * Reads the `health` field: JSON `{"path", "interval", "timeout"}`, or a bare path, which takes the defaults. An empty text or
 * an empty object is no check, `null`.
 */
export function parseHealthCheck(
  text: string,
): { readonly health: HealthCheck | null } | { readonly issues: ValidationIssue[] } {
  const trimmed = text.trim();
  if (trimmed === '') return { health: null };
  let value: unknown;
  if (trimmed.startsWith('/')) value = { path: trimmed };
  else {
    try {
      value = JSON.parse(trimmed);
    } catch {
      const msg = 'health is neither JSON such as {"path":"/healthz"} nor a path';
      return { issues: [{ loc: ['body', 'health'], msg, type: 'json_invalid' }] };
    }
  }
  // How clients that always send the field say "none".
  if (value === null || (typeof value === 'object' && Object.keys(value).length === 0 && !Array.isArray(value))) {
    return { health: null };
  }
  const parsed = healthCheckSchema.safeParse(value);
  if (parsed.success) return { health: parsed.data };
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: ['health', ...issue.path] }));
  return { issues: toValidationIssues('body', issues, { health: value }) };
}
