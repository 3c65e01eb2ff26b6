import { fromSection } from './requirement.ts';

/** Section 8. */
export const BILLING = fromSection('control-plane §8', {
  'billing.subscription': 'GET /v1/user/subscription answers plan, status, currency, period, limits and usage.',
  'billing.metered': 'Usage counts requests, egress, build time, and CPU and memory while instances start and serve.',
  'billing.limits': 'Limits of the plan are enforced with 429 or 422 that name the limit.',
  'billing.day-rows': 'Usage is one row per deployment, SKU and UTC day, and outlives its deployment.',
});
