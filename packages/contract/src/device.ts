import { z } from '@hono/zod-openapi';

/** Body of `POST /v1/auth/device/code`. */
export const deviceCodeRequestSchema = z
  .object({ device_name: z.string().trim().min(1).max(100).openapi({ description: 'Display name' }) })
  .openapi('DeviceCodeRequest');

/** Response of `POST /v1/auth/device/code`. Source: RFC 8628 section 3.2. */
export const deviceCodeSchema = z
  .object({
    device_code: z.string(),
    user_code: z.string().openapi({ example: 'BCDF-GHJK' }),
    verification_uri: z.url(),
    verification_uri_complete: z.url(),
    expires_in: z.int().openapi({ description: 'Seconds' }),
    interval: z.int().openapi({ description: 'Minimum seconds between polls' }),
  })
  .openapi('DeviceCode');

export type DeviceCode = z.infer<typeof deviceCodeSchema>;

/** Body of `POST /v1/auth/device/token`. */
export const deviceTokenRequestSchema = z
  .object({ device_code: z.string().min(1).max(100) })
  .openapi('DeviceTokenRequest');

/** The reasons for not returning a token. Source: RFC 8628 section 3.5. */
const DEVICE_ERRORS = ['authorization_pending', 'slow_down', 'access_denied', 'expired_token'] as const;

/** The 400 response of `POST /v1/auth/device/token`. */
export const deviceErrorSchema = z
  .object({
    /** Absent when the request is malformed. */
    error: z.enum(DEVICE_ERRORS).optional(),
    error_description: z.string().optional(),
    detail: z.string(),
  })
  .openapi('DeviceError');

export type DeviceError = z.infer<typeof deviceErrorSchema>;

/** A user code as typed: in any case, with or without the hyphen. */
const userCodeSchema = z.string().min(1).max(20);

/** Query of `GET /v1/user/device`. */
export const deviceQuerySchema = z.object({ user_code: userCodeSchema });

/** Response of `GET /v1/user/device`: the device that requests access. */
export const deviceSchema = z
  .object({
    device_name: z.string(),
    address: z.string().nullable(),
    user_agent: z.string().nullable(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .openapi('Device');

export type Device = z.infer<typeof deviceSchema>;

/** Body of `POST /v1/user/device`. */
export const decideDeviceRequestSchema = z
  .object({ user_code: userCodeSchema, approve: z.boolean() })
  .openapi('DecideDevice');
