import { createError } from '@berth/contract';
import { z } from 'zod';
import { webAddressSchema } from './provider.ts';
import { hostOf, type ProviderFetch } from './provider-fetch.ts';

/** The fields that are read from an authorization server's metadata. Source: RFC 8414, 2; RFC 9207, 3. */
const serverMetadataSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: webAddressSchema,
  token_endpoint: webAddressSchema,
  registration_endpoint: webAddressSchema.optional(),
  revocation_endpoint: webAddressSchema.optional(),
  scopes_supported: z.array(z.string()).optional(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  client_id_metadata_document_supported: z.boolean().optional(),
});
/** The metadata of an authorization server. */
export type ServerMetadata = z.infer<typeof serverMetadataSchema>;

/**
 * Returns the metadata of an authorization server from the well-known URLs of RFC 8414 and OpenID Connect.
 * @throws `unavailable` with a message for users, when there is no metadata of this issuer, or a URL in it isn't http
 * or https.
 */
export async function findServer(issuer: string, ask: ProviderFetch): Promise<ServerMetadata> {
  if (!webAddressSchema.safeParse(issuer).success) throw unusable(issuer, 'its issuer is no web address');
  const { buildDiscoveryUrls } = await import('@modelcontextprotocol/client');
  for (const { url } of buildDiscoveryUrls(issuer)) {
    const response = await ask(url.href, { headers: { accept: 'application/json' } });
    if (response.status !== 200) continue;
    const body: unknown = await response.json().catch(() => undefined);
    // Some servers answer every path with an HTML page.
    if (body === undefined) continue;
    const parsed = serverMetadataSchema.safeParse(body);
    if (!parsed.success) {
      throw unusable(issuer, `its metadata are wrong at "${parsed.error.issues[0]?.path.join('.') || 'the start'}"`);
    }
    // Metadata of another issuer would send that issuer's users here. Source: RFC 8414, 3.3.
    if (withoutSlash(parsed.data.issuer) !== withoutSlash(issuer)) {
      throw unusable(issuer, 'its metadata are of another issuer');
    }
    return parsed.data;
  }
  throw unusable(issuer, 'it has no metadata');
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}

/** Creates the error for a provider that can't be used. */
export function unusable(issuer: string, what: string): Error {
  return createError('unavailable', `The sign-in of ${hostOf(issuer)} can not be used: ${what}.`);
}
