import { createError, createValidationError } from '@berth/contract';
import type { User } from '../define/user.ts';

/** Whose rows a call means: '' the shared ones, undefined everybody's own, else the id of a person. */
export type Who = string | undefined;

/**
 * Reads `?who`. Source: spec agent-api 9.
 * @throws `forbidden` for somebody else's rows, unless the caller is an admin of the organisation
 */
export function parseWho(who: string | undefined, user: User): Who {
  if (who === undefined) return '';
  if (who === 'me' || who === user.id) return user.id;
  if (user.orgRole !== 'admin') throw createError('forbidden', "Only admins see other people's rows: use who=me.");
  return who === 'all' ? undefined : who;
}

/**
 * As {@link parseWho}, for one row.
 * @throws `invalid` for `all`
 */
export function parseOneWho(who: string | undefined, user: User): string {
  const parsed = parseWho(who, user);
  if (parsed !== undefined) return parsed;
  throw createValidationError([
    { loc: ['query', 'who'], msg: 'all is for lists: name one person', type: 'who_invalid' },
  ]);
}
