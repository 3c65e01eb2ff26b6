import { createError } from '@berth/contract';
import { z } from 'zod';
import { webAddressSchema } from './provider.ts';
import { hostOf, type ProviderFetch } from './provider-fetch.ts';

/** What is read of an authorization server's metadata. Source: RFC 8414, 2; RFC 9207, 3. */
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
export type ServerMetadata = z.infer<typeof serverMetadataSchema>;

/**
 * The metadata of an authorization server, from wherever RFC 8414 and OpenID Connect put them.
 * @throws `unavailable` with a sentence for people when there are none of this issuer's, or an address in them is no web address.
 */
export async function findServer(issuer: string, ask: ProviderFetch): Promise<ServerMetadata> {
  if (!webAddressSchema.safeParse(issuer).success) throw unusable(issuer, 'its issuer is no web address');
  const { buildDiscoveryUrls } = await import('@modelcontextprotocol/client');
  for (const { url } of buildDiscoveryUrls(issuer)) {
    const response = await ask(url.href, { headers: { accept: 'application/json' } });
    if (response.status !== 200) continue;
    const body: unknown = await response.json().catch(() => undefined);
    // A page for people, which some servers answer whatever is asked for.
    if (body === undefined) continue;
    const parsed = serverMetadataSchema.safeParse(body);
    if (!parsed.success) {
      throw unusable(issuer, `its metadata are wrong at "${parsed.error.issues[0]?.path.join('.') || 'the start'}"`);
    }
    // Metadata of another's would have its people sent here. Source: RFC 8414, 3.3.
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

/** A sign-in that nobody can be sent to. */
export function unusable(issuer: string, what: string): Error {
  return createError('unavailable', `The sign-in of ${hostOf(issuer)} can not be used: ${what}.`);
}
