/**
 * The names of all cookies of the platform, without prefix. The gateway hides these cookies from services, in requests and
 * responses, so every cookie that the platform sets must be listed here.
 */
export const PLATFORM_COOKIES = [
  'berth_session',
  'berth_identity',
  'berth_form',
  'berth_sign_in',
  'berth_passkey',
  'berth_affinity',
  'berth_revision',
] as const;

export type PlatformCookie = (typeof PLATFORM_COOKIES)[number];
