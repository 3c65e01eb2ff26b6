import { z } from 'zod';

/** What clients are told who they are by, at the token endpoint. Source: RFC 7591, 2. */
export const CLIENT_AUTHENTICATIONS = ['none', 'basic', 'post'] as const;
export type ClientAuthentication = (typeof CLIENT_AUTHENTICATIONS)[number];

/** An address that people are sent to or that is asked: `https://` or `http://`, without credentials. */
export const webAddressSchema = z.string().refine((text) => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
});

/** Where a connector's people consent and where its tokens come from. */
export const providerSchema = z.object({
  /** Undefined where the owner declared addresses only. */
  issuer: z.string().optional(),
  authorizationEndpoint: webAddressSchema,
  tokenEndpoint: webAddressSchema,
  registrationEndpoint: webAddressSchema.optional(),
  revocationEndpoint: webAddressSchema.optional(),
  /** What tokens are for. Source: RFC 8707. */
  resource: z.string().optional(),
  scopes: z.array(z.string()),
  /** It says who answers, always. Source: RFC 9207. */
  isIssuerSent: z.boolean(),
  /** It reads the document that a client's id is the address of. Source: draft-ietf-oauth-client-id-metadata-document. */
  takesClientDocuments: z.boolean(),
  /** As in its metadata; undefined: it does not say. */
  clientAuthentications: z.array(z.string()).optional(),
});
export type Provider = z.infer<typeof providerSchema>;

/** Who the agent is to a provider. */
export const oauthClientSchema = z.object({
  clientId: z.string(),
  /** Of one that was registered by itself; what the owner declared is not kept. */
  clientSecret: z.string().optional(),
  authentication: z.enum(CLIENT_AUTHENTICATIONS),
  /** Where it comes from: the owner, its document's address, or a registration. */
  origin: z.enum(['declared', 'document', 'registered']),
  /** Where a registration is kept. */
  registrationId: z.string().optional(),
});
export type OAuthClient = z.infer<typeof oauthClientSchema>;
