import { z } from '@hono/zod-openapi';

/** Row of `GET /v1/auth/providers`: a sign-in method of the platform. */
export const signInWaySchema = z
  .object({
    kind: z.enum(['password', 'passkey', 'oidc']).openapi({
      description:
        'password: e-mail address and password. oidc: an OpenID Connect provider, see `/v1/auth/oidc/start`.',
    }),
    id: z.string().openapi({ description: "The operator's name for a provider; otherwise the kind" }),
    name: z.string().openapi({ description: 'Display name, such as the text of a button' }),
    sends_email: z.boolean().optional().openapi({
      description: 'Present on `password`; true if the platform sends e-mail, so that people can reset their password',
    }),
  })
  .openapi('SignInWay');

export type SignInWay = z.infer<typeof signInWaySchema>;

/** An external identity with which the person signs in. */
export const linkedIdentitySchema = z
  .object({
    id: z.string(),
    issuer: z.string(),
    provider: z.string().nullable().openapi({ description: "The provider's ID; null if no longer offered" }),
    name: z.string(),
    created_at: z.iso.datetime(),
  })
  .openapi('LinkedIdentity');

export type LinkedIdentity = z.infer<typeof linkedIdentitySchema>;

/** Response of `GET /v1/user/identities`. */
export const ownIdentitiesSchema = z
  .object({
    has_password: z.boolean().openapi({ description: 'False for people who only sign in with a provider' }),
    identities: z.array(linkedIdentitySchema),
  })
  .openapi('OwnIdentities');

export type OwnIdentities = z.infer<typeof ownIdentitiesSchema>;

/** A path of the platform to which the browser is redirected. */
const returnToSchema = z.string().max(1_500).openapi({ description: 'A path of the platform, such as `/logs`' });

/** Query of `GET /v1/auth/oidc/start`. */
export const startSignInQuerySchema = z.object({
  provider: z.string().min(1).max(100),
  return_to: returnToSchema.optional(),
});

/** Body of `POST /v1/auth/oidc/join`, which accepts an invitation by signing in with a provider. */
export const joinWithProviderRequestSchema = z
  .object({ provider: z.string().min(1).max(100), token: z.string().min(1).max(100) })
  .openapi('JoinWithProvider');

/** Body of `POST /v1/user/identities`. */
export const linkIdentityRequestSchema = z
  .object({ provider: z.string().min(1).max(100), return_to: returnToSchema.optional() })
  .openapi('LinkIdentity');

/** Response of `POST /v1/auth/oidc/join` and `POST /v1/user/identities`: the URL to open in the browser. */
export const providerAddressSchema = z.object({ url: z.url() }).openapi('ProviderAddress');

export type ProviderAddress = z.infer<typeof providerAddressSchema>;

/** Reasons why a sign-in with a provider failed. The console's `/sign-in-problem?problem=…` explains what to do. */
export const SIGN_IN_PROBLEMS = [
  'not_offered',
  'declined',
  'expired',
  'unavailable',
  'refused',
  'email_unverified',
  'email_domain',
  'email_taken',
  'closed',
  'invitation',
  'linked_elsewhere',
  'too_many',
] as const;

export type SignInProblem = (typeof SIGN_IN_PROBLEMS)[number];
