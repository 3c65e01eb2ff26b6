import type { ToolAccess } from '@berth/mcp';

/** Options of {@link createTransfer}. */
export interface TransferOptions {
  /** The base URL of signed URLs, as clients reach it. */
  storageUrl(): string;
  /** The same listener, as this process reaches it. */
  localUrl(): string;
}

/**
 * Creates the function that MCP tools fetch signed URLs with. The public name of the storage listener may not resolve here, or lead
 * through a proxy, so requests to it go to the listener itself. Signed URLs of a bucket go to the bucket.
 */
export function createTransfer({ storageUrl, localUrl }: TransferOptions): ToolAccess['transfer'] {
  return (url, init) => {
    const base = storageUrl();
    const target = url.startsWith(`${base}/`) ? localUrl() + url.slice(base.length) : url;
    return fetch(target, { ...init, redirect: 'error' });
  };
}
