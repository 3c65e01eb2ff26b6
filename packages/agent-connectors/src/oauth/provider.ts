import { z } from 'zod';

/** Methods of client authentication at the token endpoint. Source: RFC 7591, 2. */
export const CLIENT_AUTHENTICATIONS = ['none', 'basic', 'post'] as const;
/** A method of client authentication. */
export type ClientAuthentication = (typeof CLIENT_AUTHENTICATIONS)[number];

/** An `https://` or `http://` URL without credentials. */
export const webAddressSchema = z.string().refine((text) => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
});

/** The authorization server of a connector. */
export const providerSchema = z.object({
  /** Undefined when the owner declared endpoints only. */
  issuer: z.string().optional(),
  authorizationEndpoint: webAddressSchema,
  tokenEndpoint: webAddressSchema,
  registrationEndpoint: webAddressSchema.optional(),
  revocationEndpoint: webAddressSchema.optional(),
  /** Resource that tokens are requested for. Source: RFC 8707. */
  resource: z.string().optional(),
  scopes: z.array(z.string()),
  /** Every authorization response contains `iss`. Source: RFC 9207. */
  isIssuerSent: z.boolean(),
  /** The provider accepts client metadata documents. Source: draft-ietf-oauth-client-id-metadata-document. */
  takesClientDocuments: z.boolean(),
  /** From the metadata; undefined when it lists none. */
  clientAuthentications: z.array(z.string()).optional(),
});
/** The authorization server of a connector. */
export type Provider = z.infer<typeof providerSchema>;

/** The agent's OAuth client at a provider. */
export const oauthClientSchema = z.object({
  clientId: z.string(),
  /** Secret of a dynamically registered client; a declared secret is not stored. */
  clientSecret: z.string().optional(),
  authentication: z.enum(CLIENT_AUTHENTICATIONS),
  /** Origin of the client: the owner's declaration, the metadata document, or a dynamic registration. */
  origin: z.enum(['declared', 'document', 'registered']),
  /** Id of the stored registration. */
  registrationId: z.string().optional(),
});
/** The agent's OAuth client at a provider. */
export type OAuthClient = z.infer<typeof oauthClientSchema>;
