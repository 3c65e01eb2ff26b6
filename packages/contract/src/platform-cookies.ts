/**
 * Every cookie of the platform's own, without its prefix. The gateway keeps these names from services, in requests and in
 * responses, so the platform sets no cookie that is not listed here.
 */
export const PLATFORM_COOKIES = [
  'berth_session',
  'berth_identity',
  'berth_form',
  'berth_sign_in',
  'berth_passkey',
  'berth_affinity',
] as const;

export type PlatformCookie = (typeof PLATFORM_COOKIES)[number];
