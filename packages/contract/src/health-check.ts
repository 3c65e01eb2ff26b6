import { z } from '@hono/zod-openapi';
import { HEALTH_DEFAULTS, LIMITS } from './limits.ts';
import { toValidationIssues, type ValidationIssue } from './validation-issue.ts';

/** An HTTP check of whether an instance can serve. It passes with a status from 200 to 399. */
export const healthCheckSchema = z.object({
  /** Path and query of the GET. */
  path: z
    .string()
    .max(LIMITS.healthPathCharacters)
    .regex(/^\/[\x21\x22\x24-\x7e]*$/, 'must be a path such as /healthz: "/" first, no spaces, no "#"'),
  /** Seconds between checks of a serving instance, from the end of one to the start of the next. */
  interval: z
    .int()
    .min(LIMITS.healthIntervalSecondsMin)
    .max(LIMITS.healthIntervalSecondsMax)
    .default(HEALTH_DEFAULTS.interval),
  /** Seconds until a check without a response fails. */
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

/** A health check in `berth.json`, where unknown fields are an error. */
export const healthCheckShape = z.strictObject(healthCheckSchema.shape);

/**
 * Parses the `health` field: JSON `{"path", "interval", "timeout"}`, or a bare path, which uses the defaults. Returns the
 * check, `null` for an empty string or object, or all issues found.
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
  // Clients that always send the field send null or an empty object for no check.
  if (value === null || (typeof value === 'object' && Object.keys(value).length === 0 && !Array.isArray(value))) {
    return { health: null };
  }
  const parsed = healthCheckSchema.safeParse(value);
  if (parsed.success) return { health: parsed.data };
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: ['health', ...issue.path] }));
  return { issues: toValidationIssues('body', issues, { health: value }) };
}
