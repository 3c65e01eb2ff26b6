import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** Returns a new secret: `whsec_` and 32 random bytes in Base64. Source: Standard Webhooks 1.0. */
export function createWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/** Returns the headers that let a receiver check a body, its age and its repetition. Source: Standard Webhooks 1.0. */
export function signWebhook(
  { id, body, nowMs }: { readonly id: string; readonly body: string; readonly nowMs: number },
  secret: string,
): Record<string, string> {
  const timestamp = Math.floor(nowMs / 1_000);
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` };
}
