import { LIMITS } from '@berth/contract';
import type { ListOptions, ObjectList, StoredObject } from '@berth/object-store';

/** Store requests per page: a folder of a thousand large folders takes several pages. */
const MAX_LISTINGS = 100;
/** Sorts after every other character, by the bytes of UTF-8. */
const LAST_CHARACTER = '\u{10ffff}';

export interface FolderPage {
  readonly objects: readonly StoredObject[];
  /** Paths of the folders among them, each with its `/`. */
  readonly folders: readonly string[];
  /** The start of the next page; undefined on the last. */
  readonly after: string | undefined;
}

/** Lists the direct children of a prefix; the contents of its folders are skipped. */
export async function listFolder(
  list: (options: ListOptions) => Promise<ObjectList>,
  { prefix, after, limit }: { readonly prefix: string; readonly after: string | undefined; readonly limit: number },
): Promise<FolderPage> {
  const objects: StoredObject[] = [];
  const folders = new Set<string>();
  let at = after;
  for (let listings = 0; listings < MAX_LISTINGS; listings++) {
    const room = limit - objects.length - folders.size;
    if (room === 0) break;
    const page = await list({ prefix, limit: room, ...(at === undefined ? {} : { after: at }) });
    let passed: string | undefined;
    for (const object of page.objects) {
      if (passed !== undefined && object.path.startsWith(passed)) continue;
      const slash = object.path.indexOf('/', prefix.length);
      if (slash < 0) {
        objects.push(object);
        at = object.path;
        continue;
      }
      const folder = object.path.slice(0, slash + 1);
      at = behind(folder, object.path);
      folders.add(folder);
      passed = folder;
    }
    if (!page.isTruncated) return { objects, folders: [...folders], after: undefined };
  }
  return { objects, folders: [...folders], after: at };
}

/** Returns a path that sorts after everything in the folder, and is no longer than a path may be. */
function behind(folder: string, path: string): string {
  const end = folder + LAST_CHARACTER;
  return path.startsWith(end) || Buffer.byteLength(end) > LIMITS.objectPathBytes ? path : end;
}
