import { z } from '@hono/zod-openapi';

/** A person's display name. */
const personNameSchema = z.string().trim().min(1).max(100);

const personSchema = z.object({ id: z.string(), name: z.string(), email: z.string() });

/** A new password: 12 to 128 characters, without composition rules. Source: NIST SP 800-63B section 5.1.1. */
export const passwordSchema = z.string().min(12).max(128);

/** Body of `POST /v1/auth/sign-in/email`. */
export const signInRequestSchema = z
  .object({ email: z.email(), password: z.string().min(1).max(128) })
  .openapi('SignInRequest');

export type SignInRequest = z.input<typeof signInRequestSchema>;

/** Body of `POST /v1/auth/sign-up/email`. */
export const signUpRequestSchema = z
  .object({ email: z.email(), password: passwordSchema, name: personNameSchema })
  .openapi('SignUpRequest');

export type SignUpRequest = z.input<typeof signUpRequestSchema>;

/** Body of `POST /v1/auth/change-password`. */
export const changePasswordRequestSchema = z
  .object({
    current_password: z.string().min(1).max(128),
    new_password: passwordSchema,
    end_other_sessions: z.boolean().default(true).openapi({
      description: 'Ends all sessions and starts a new one for the caller; false keeps them',
    }),
  })
  .openapi('ChangePasswordRequest');

export type ChangePasswordRequest = z.input<typeof changePasswordRequestSchema>;

/** Body of `POST /v1/user/profile`. */
export const profileRequestSchema = z.object({ name: personNameSchema }).openapi('ProfileRequest');

/** Response of `POST /v1/user/profile`. */
export const profileSchema = personSchema.openapi('Profile');

export type Profile = z.infer<typeof profileSchema>;

/** A new session: response of sign-in, sign-up and a password change. */
export const signedInSchema = z
  .object({
    /** The bearer token; absent when the session is a cookie, for callers that sent `X-Berth-Browser: 1`. */
    token: z.string().optional(),
    /** At most 24 hours ahead. `GET /v1/auth/get-session` extends it. */
    expires_at: z.iso.datetime(),
    user: personSchema,
  })
  .openapi('SignedIn');

export type SignedIn = z.infer<typeof signedInSchema>;

/** Response of `GET /v1/auth/get-session`. */
export const sessionSchema = z.object({ expires_at: z.iso.datetime(), user: personSchema }).openapi('Session');

export type Session = z.infer<typeof sessionSchema>;

/** Response of `GET /v1/auth/session`. */
export const currentSessionSchema = z.object({ session: sessionSchema.nullable() }).openapi('CurrentSession');

/** Row of `GET /v1/user/sessions`: a session of the person. */
export const sessionRowSchema = z
  .object({
    id: z.string(),
    /** True for the session of the request. */
    is_current: z.boolean(),
    /** IP address from which the session was created. */
    address: z.string().nullable(),
    user_agent: z.string().nullable(),
    created_at: z.iso.datetime(),
    /** Accurate to a minute. */
    last_used_at: z.iso.datetime().nullable(),
    expires_at: z.iso.datetime(),
  })
  .openapi('SessionRow');

export type SessionRow = z.infer<typeof sessionRowSchema>;

/** Body of `POST /v1/auth/first-run`, which creates the platform's first user. */
export const firstRunRequestSchema = z
  .object({
    token: z.string().min(1).max(200).openapi({ description: "The part of the server's link after #" }),
    email: z.email(),
    password: passwordSchema,
    name: z.string().trim().min(1).max(100).optional(),
  })
  .openapi('FirstRunRequest');

/** Body of `POST /v1/auth/first-run/check`. */
export const firstRunCheckRequestSchema = z
  .object({ token: z.string().max(200).optional() })
  .openapi('FirstRunCheckRequest');

/** Response of `POST /v1/auth/first-run/check`. */
export const firstRunStateSchema = z
  .object({
    is_needed: z.boolean().openapi({ description: 'True until the platform has its first person' }),
    is_valid: z.boolean().openapi({ description: 'True if the link of `token` can be used' }),
  })
  .openapi('FirstRunState');

export type FirstRunState = z.infer<typeof firstRunStateSchema>;

export type FirstRunRequest = z.input<typeof firstRunRequestSchema>;
