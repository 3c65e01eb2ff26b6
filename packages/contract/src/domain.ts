import { z } from '@hono/zod-openapi';

/** The statuses of a domain. `pending`: not verified yet; `active`: routed to the deployment. */
export const DOMAIN_STATUSES = ['pending', 'active'] as const;

/** The path prefix of a domain's HTTP proof, followed by a token. Berth serves it itself on domains that point to it. */
export const DOMAIN_PROOF_PREFIX = '/.well-known/berth-domain/';

/** The two ways to verify a domain, of which its owner needs one: a TXT record or an HTTP response. */
export const domainProofSchema = z
  .object({
    txt: z.object({
      name: z.string().openapi({ example: '_berth.shop.example.com' }),
      value: z.string().openapi({ description: 'Value of the TXT record' }),
    }),
    http: z.object({
      url: z.string().openapi({ example: 'http://shop.example.com/.well-known/berth-domain/abc' }),
      body: z.string().openapi({
        description:
          'Expected body of a GET of the URL, with status 200. Berth serves it if the domain points to Berth',
      }),
    }),
  })
  .openapi('DomainProof');

export type DomainProof = z.infer<typeof domainProofSchema>;

/** A custom domain of a deployment. */
export const domainSchema = z
  .object({
    domain: z.string().openapi({ description: 'Lower-case ASCII: an internationalized name in its xn-- form' }),
    deployment_name: z.string(),
    status: z.enum(DOMAIN_STATUSES),
    target: z.string().openapi({
      description: 'Host name of the deployment, for a CNAME of the domain',
      example: 'shop.apps.example.net',
    }),
    proof: domainProofSchema,
    created_at: z.iso.datetime(),
    verified_at: z.iso.datetime().nullable(),
  })
  .openapi('Domain');

export type Domain = z.infer<typeof domainSchema>;

/** Body of `POST /v1/domain/add`. */
export const addDomainRequestSchema = z
  .object({ deployment_name: z.string(), domain: z.string() })
  .openapi('AddDomainRequest');

export type AddDomainRequest = z.input<typeof addDomainRequestSchema>;

/** Body of `POST /v1/domain/verify` and `/v1/domain/remove`. */
export const domainRequestSchema = z.object({ domain: z.string() }).openapi('DomainRequest');

export type DomainRequest = z.input<typeof domainRequestSchema>;

/** Body of `POST /v1/domain/list`. Without a name, all domains of the account are listed. */
export const listDomainsRequestSchema = z.object({ name: z.string().optional() }).openapi('ListDomainsRequest');

export type ListDomainsRequest = z.input<typeof listDomainsRequestSchema>;

/** Response of `POST /v1/domain/verify`: the domain and, while it is pending, why each proof failed. */
export const verifiedDomainSchema = domainSchema
  .extend({ problems: z.array(z.object({ method: z.enum(['txt', 'http']), message: z.string() })) })
  .openapi('VerifiedDomain');

export type VerifiedDomain = z.infer<typeof verifiedDomainSchema>;
