import { z } from '@hono/zod-openapi';

/** Base64url without padding. The bounds are far above what authenticators send. */
const bytesSchema = z
  .string()
  .min(1)
  .max(8_192)
  .regex(/^[\w-]+$/, 'must be base64url');

/** A passkey of a person. */
export const passkeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    /** The credential id in base64url, with which browsers are told which passkeys are still valid. */
    credential_id: z.string(),
    /** True for a passkey that is synced, e.g. by a password manager; false for one bound to a device. */
    is_synced: z.boolean(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .openapi('Passkey');

export type Passkey = z.infer<typeof passkeySchema>;

/** The display name of a passkey. */
export const passkeyNameSchema = z.string().trim().min(1).max(100);

/** Response of `POST /v1/auth/passkey/options`. Source: WebAuthn 3 section 5.1.10, PublicKeyCredentialRequestOptionsJSON. */
export const passkeySignInOptionsSchema = z
  .object({
    challenge: z.string(),
    /** Milliseconds. */
    timeout: z.int(),
    rpId: z.string(),
    userVerification: z.literal('required'),
  })
  .openapi('PasskeySignInOptions');

export type PasskeySignInOptions = z.infer<typeof passkeySignInOptionsSchema>;

/** Response of `GET /.well-known/webauthn`. Source: WebAuthn 3 section 5.11. */
export const passkeyOriginsSchema = z.object({ origins: z.array(z.url()) }).openapi('PasskeyOrigins');

/** Body of `POST /v1/auth/passkey/sign-in`. Source: WebAuthn 3 section 5.1.8.1, AuthenticationResponseJSON. */
export const passkeySignInRequestSchema = z
  .object({
    id: bytesSchema,
    rawId: bytesSchema,
    type: z.literal('public-key'),
    response: z.object({
      clientDataJSON: bytesSchema,
      authenticatorData: bytesSchema,
      signature: bytesSchema,
      userHandle: bytesSchema.nullish(),
    }),
    clientExtensionResults: z.looseObject({}).default({}),
  })
  .openapi('PasskeySignInRequest');

export type PasskeySignInRequest = z.input<typeof passkeySignInRequestSchema>;

/** Body of `POST /v1/user/passkeys/options`. */
export const passkeyOptionsRequestSchema = z
  .object({
    password: z.string().min(1).max(128).optional().openapi({
      description: 'Required if the session is older than 15 minutes',
    }),
  })
  .openapi('PasskeyOptionsRequest');

export type PasskeyOptionsRequest = z.input<typeof passkeyOptionsRequestSchema>;

/**
 * Response of `POST /v1/user/passkeys/options`. Source: WebAuthn 3 section 5.1.9, PublicKeyCredentialCreationOptionsJSON.
 */
export const passkeyOptionsSchema = z
  .object({
    challenge: z.string(),
    /** Milliseconds. */
    timeout: z.int(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
    excludeCredentials: z.array(
      z.object({ type: z.literal('public-key'), id: z.string(), transports: z.array(z.string()) }),
    ),
    authenticatorSelection: z.object({
      residentKey: z.literal('required'),
      requireResidentKey: z.literal(true),
      userVerification: z.literal('required'),
    }),
    attestation: z.literal('none'),
  })
  .openapi('PasskeyOptions');

export type PasskeyOptions = z.infer<typeof passkeyOptionsSchema>;

/** Body of `POST /v1/user/passkeys`. Source: WebAuthn 3 section 5.1.8.1, RegistrationResponseJSON. */
export const createPasskeyRequestSchema = z
  .object({
    name: passkeyNameSchema.optional().openapi({ description: 'By default derived from the authenticator' }),
    credential: z.object({
      id: bytesSchema,
      rawId: bytesSchema,
      type: z.literal('public-key'),
      response: z.object({
        clientDataJSON: bytesSchema,
        attestationObject: z
          .string()
          .min(1)
          .max(65_536)
          .regex(/^[\w-]+$/, 'must be base64url'),
        transports: z.array(z.string().max(32)).max(16).default([]),
      }),
      clientExtensionResults: z.looseObject({}).default({}),
    }),
  })
  .openapi('CreatePasskeyRequest');

export type CreatePasskeyRequest = z.input<typeof createPasskeyRequestSchema>;

/** Body of `POST /v1/user/passkeys/rename`. */
export const renamePasskeyRequestSchema = z
  .object({ id: z.string().min(1), name: passkeyNameSchema })
  .openapi('RenamePasskeyRequest');
