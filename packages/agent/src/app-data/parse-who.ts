import type { ActiveWorkspace, User } from '@berth/agent-core';
import { createError, createValidationError } from '@berth/contract';

/** Whose rows a call means: '' the shared ones, undefined everybody's own, else the id of a person. */
export type Who = string | undefined;

/** Who asks, and where. */
export interface WhoAsks {
  readonly user: User;
  readonly workspace: Pick<ActiveWorkspace, 'type' | 'role'>;
}

/**
 * Reads `?who`. Source: docs/contract/agent-api.md §9.
 * @throws `forbidden` for somebody else's rows, unless the caller is the team's owner or an admin of it; in a personal
 * workspace, of the organisation
 */
export function parseWho(who: string | undefined, { user, workspace }: WhoAsks): Who {
  if (who === undefined) return '';
  if (who === 'me' || who === user.id) return user.id;
  const isAdmin = workspace.type === 'team' ? workspace.role !== 'editor' : user.orgRole === 'admin';
  if (!isAdmin) throw createError('forbidden', "Only admins see other people's rows: use who=me.");
  return who === 'all' ? undefined : who;
}

/**
 * As {@link parseWho}, for one row.
 * @throws `invalid` for `all`
 */
export function parseOneWho(who: string | undefined, asks: WhoAsks): string {
  const parsed = parseWho(who, asks);
  if (parsed !== undefined) return parsed;
  throw createValidationError([
    { loc: ['query', 'who'], msg: 'all is for lists: name one person', type: 'who_invalid' },
  ]);
}
