import type { StoredShare } from '@berth/agent-store';
import type { SharedData, ShareView } from '@berth/contract/agent';
import { encodePath, rewriteFiles } from './rewrite-files.ts';
import { type ShareHome, shareHomeOf } from './share-home.ts';
import { shareAddressUser, shareId } from './share-token.ts';
import { type OpenShare, splitPath } from './shares.ts';

/**
 * Returns a share as its owner sees it.
 * @param token undefined for one that can't be read any more, such as of an earlier version.
 */
export function shareView(share: Omit<StoredShare, 'snapshot'>, token: string | undefined, origin: string): ShareView {
  const home = shareHomeOf(share.owner);
  const url = home && token !== undefined ? sharePagePath(home, token) : undefined;
  return {
    id: shareId(share.tokenHash),
    path: share.path,
    title: share.title,
    audience: share.audience,
    live: share.isLive,
    shared_at: new Date(share.createdAtMs).toISOString(),
    expires_at: share.expiresAtMs === undefined ? null : new Date(share.expiresAtMs).toISOString(),
    ...(token !== undefined && url !== undefined && { token, url, absolute_url: origin + url }),
  };
}

/** Returns the path of a share's page on the agent. */
export function sharePagePath(home: ShareHome, token: string): string {
  return `/shared/${shareAddressUser(token)}/${token}${queryOf(home)}`;
}

/** Returns the response of the share's data route, in which files point at the share's file route. */
export function sharedData({ home, share, messages, files }: OpenShare, token: string): SharedData {
  const urlOf = (path: string) => `/share/${shareAddressUser(token)}/${token}/file/${encodePath(path)}${queryOf(home)}`;
  const [, name] = splitPath(share.path);
  const rest = { title: share.title, shared_at: new Date(share.createdAtMs).toISOString(), live: share.isLive };
  const [file = name] = files;
  if (messages === undefined) return { type: 'file', path: file, url: urlOf(file), ...rest };
  // References to files outside the share stay as they are: the share's file route doesn't serve them.
  const written = messages.map((message) =>
    rewriteFiles(message, {
      attachment: (path) => (files.includes(path) ? { path, url: urlOf(path) } : undefined),
      input: (path) => (files.includes(path) ? urlOf(path) : path),
      link: (path) => (files.includes(path) ? urlOf(path) : path),
    }),
  );
  return { type: 'chat', id: name, messages: written, ...rest };
}

/** Returns the query `?ws=` that each address of a team's share ends with; empty for a personal one. */
function queryOf({ teamId }: ShareHome): string {
  return teamId === undefined ? '' : `?ws=${encodeURIComponent(teamId)}`;
}
