import { ROLES } from '@berth/contract';
import { z } from 'zod';

/** True for https, and for http on this machine: on an open connection, an attacker could sign in as anyone. */
function isSafe(url: string): boolean {
  const { protocol, hostname = '' } = URL.parse(url) ?? {};
  return protocol === 'https:' || /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

const providerSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,30}$/, 'is of a-z, 0-9 and "-"'),
  /** The label of the button. */
  name: z.string().trim().min(1).max(60),
  issuer: z.url({ protocol: /^https?$/ }).refine(isSafe, 'must begin with https://'),
  client_id: z.string().min(1),
  /** Absent for a public client. */
  client_secret: z.string().min(1).optional(),
  scope: z
    .string()
    .default('openid email profile')
    .refine((scope) => scope.split(' ').includes('openid'), 'must include openid'),
  /** E-mail domains that may sign in; empty: all. */
  email_domains: z.array(z.string().min(1).toLowerCase()).default([]),
  /** The account and role of new people; absent: they need an invitation. */
  new_people: z.strictObject({ account: z.string().min(1), role: z.enum(ROLES) }).optional(),
  /** Whether a sign-in is linked to an existing person with the same verified address. */
  link_by_email: z.boolean().default(false),
  /** For providers that omit `email_verified` and only give verified addresses. */
  trust_email: z.boolean().default(false),
});

/** An OpenID Connect provider that the operator configured. */
export type OidcProvider = Readonly<z.output<typeof providerSchema>>;

/**
 * Parses the operator's file of providers.
 * @throws Error that names the first fault
 */
export function parseOidcProviders(text: string): readonly OidcProvider[] {
  const parsed = z.array(providerSchema).max(20).safeParse(JSON.parse(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`${issue?.path.join('.') || 'the list'}: ${issue?.message}`);
  }
  const providers = parsed.data;
  for (const field of ['id', 'issuer'] as const) {
    const seen = providers.map((provider) => provider[field]);
    const twice = seen.find((value, index) => seen.indexOf(value) !== index);
    if (twice !== undefined) throw new Error(`two providers have the same ${field} ${twice}`);
  }
  return providers;
}
