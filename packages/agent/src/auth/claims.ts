import { type User, unauthenticated } from '@berth/agent-core';
import { AGENT_LIMITS } from '@berth/contract/agent';
import type { JWTPayload } from 'jose';

/** The claims that hold each field of a user. Dots lead into objects; the first claim of a list that exists is used. */
export type ClaimMapping = { readonly [Field in keyof User]?: string | readonly string[] };

/** The mapping without configuration. Source: docs/contract/agent-api.md §1, "Claims". */
const DEFAULT_CLAIMS: Required<ClaimMapping> = {
  id: 'sub',
  orgId: ['org_id', 'o.id'],
  orgSlug: ['org_slug', 'o.slg'],
  orgRole: ['org_role', 'o.rol'],
  plan: ['plan', 'pla'],
  features: ['features', 'fea'],
  name: 'name',
  email: 'email',
  picture: 'picture',
};

/** The maximum length of an id. Ids become folder names and row keys. */
const MAX_ID_CHARACTERS = AGENT_LIMITS.userIdCharacters;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_CHARACTERS = /[\0-\x1f\x7f]/;

/**
 * Returns the user that the claims of a verified token describe.
 * @throws `unauthenticated` unless there is an id of 1 to 255 characters without control characters
 */
export function toUser(claims: JWTPayload, mapping: ClaimMapping = {}): User {
  const read = (field: keyof User) => readFirst(claims, mapping[field] ?? DEFAULT_CLAIMS[field]);
  const text = (field: keyof User) => {
    const value = read(field);
    return typeof value === 'string' && value !== '' ? { [field]: value } : {};
  };
  const id = toId(read('id'), 'user');
  const orgId = read('orgId');
  if (id === undefined) throw unauthenticated('The token does not say who its user is.');
  return {
    id,
    ...(orgId === undefined || orgId === null || orgId === '' ? {} : { orgId: toId(orgId, 'organisation') as string }),
    ...toFeatures(read('features')),
    ...Object.assign({}, ...(['orgSlug', 'orgRole', 'plan', 'name', 'email', 'picture'] as const).map(text)),
  };
}

function readFirst(claims: JWTPayload, names: string | readonly string[]): unknown {
  for (const name of [names].flat()) {
    const value = readClaim(claims, name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Reads one claim. Claim names may contain dots, e.g. `https://example.com/org`, so the whole name is tried first. */
function readClaim(claims: JWTPayload, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

function toId(value: unknown, what: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  const id = typeof value === 'number' ? String(value) : value;
  const isId =
    typeof id === 'string' && id.length >= 1 && id.length <= MAX_ID_CHARACTERS && !CONTROL_CHARACTERS.test(id);
  if (isId && id.isWellFormed()) return id;
  throw unauthenticated(`The token's ${what} id can't be used: it must be 1 to 255 characters.`);
}

/** Reads features from a list, or from a string separated by commas or spaces. */
function toFeatures(value: unknown): Pick<User, 'features'> {
  const features = typeof value === 'string' ? value.split(/[\s,]+/) : Array.isArray(value) ? value : [];
  const names = features.filter((name): name is string => typeof name === 'string' && name !== '');
  return names.length === 0 ? {} : { features: names };
}
