import type { StoredShare } from '@berth/agent-store';
import type { SharedData, ShareView } from '@berth/contract/agent';
import { rewriteFiles } from './rewrite-files.ts';
import type { ShareHome } from './share-home.ts';
import { shareId } from './share-token.ts';
import { type OpenShare, splitPath } from './shares.ts';
import { encodePath } from './workspace-path-of.ts';

/** A share as its owner sees it. */
export function shareView(share: Omit<StoredShare, 'snapshot'>): ShareView {
  return {
    id: shareId(share.tokenHash),
    path: share.path,
    title: share.title,
    audience: share.audience,
    live: share.isLive,
    shared_at: new Date(share.createdAtMs).toISOString(),
    expires_at: share.expiresAtMs === undefined ? null : new Date(share.expiresAtMs).toISOString(),
  };
}

/** Address of the page of a share, below the agent's. */
export function sharePagePath(home: ShareHome, token: string): string {
  return `/shared/${encodeURIComponent(home.person)}/${token}${queryOf(home)}`;
}

/** What the audience is told. Files that are named are those of the share's own route. */
export function sharedData({ home, share, messages, files }: OpenShare, token: string): SharedData {
  const urlOf = (path: string) =>
    `/share/${encodeURIComponent(home.person)}/${token}/file/${encodePath(path)}${queryOf(home)}`;
  const [, name] = splitPath(share.path);
  const rest = { title: share.title, shared_at: new Date(share.createdAtMs).toISOString(), live: share.isLive };
  const [file = name] = files;
  if (messages === undefined) return { type: 'file', path: file, url: urlOf(file), ...rest };
  // A file that is not of the share is left as it was written: its name leads nowhere.
  const written = messages.map((message) =>
    rewriteFiles(message, {
      attachment: (path) => (files.includes(path) ? { path, url: urlOf(path) } : undefined),
      input: (path) => (files.includes(path) ? urlOf(path) : path),
      link: (path) => (files.includes(path) ? urlOf(path) : path),
    }),
  );
  return { type: 'chat', id: name, messages: written, ...rest };
}

/** Of a team's share, the query that each of its addresses has. */
function queryOf({ teamId }: ShareHome): string {
  return teamId === undefined ? '' : `?ws=${encodeURIComponent(teamId)}`;
}
