import type { ActiveWorkspace, User } from '@berth/agent-core';
import { createError, createValidationError } from '@berth/contract';

/** The owner of the rows that a call addresses: '' for shared rows, a user id, or undefined for all users' own rows. */
export type Who = string | undefined;

/** The caller, and the workspace of the request. */
export interface WhoAsks {
  readonly user: User;
  readonly workspace: Pick<ActiveWorkspace, 'type' | 'role'>;
}

/**
 * Parses the query parameter `who` of a list. Source: docs/contract/agent-api.md §9.
 * @throws `forbidden` for another person's rows, unless the caller is an owner or admin of the team or, in a personal
 * workspace, an admin of the organization
 */
export function parseWho(who: string | undefined, { user, workspace }: WhoAsks): Who {
  if (who === undefined) return '';
  if (who === 'me' || who === user.id) return user.id;
  const isAdmin = workspace.type === 'team' ? workspace.role !== 'editor' : user.orgRole === 'admin';
  if (!isAdmin) throw createError('forbidden', "Only admins see other people's rows: use who=me.");
  return who === 'all' ? undefined : who;
}

/**
 * Parses the query parameter `who` of a single row, as {@link parseWho} does.
 * @throws `invalid` for `all`
 */
export function parseOneWho(who: string | undefined, asks: WhoAsks): string {
  const parsed = parseWho(who, asks);
  if (parsed !== undefined) return parsed;
  throw createValidationError([
    { loc: ['query', 'who'], msg: 'all is for lists: name one person', type: 'who_invalid' },
  ]);
}
