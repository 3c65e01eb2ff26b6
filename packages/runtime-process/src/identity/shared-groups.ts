import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createError } from '@berth/contract';
import { codeOf, syncFolder } from '@berth/kit/node';
import { type IdRange, SHARED_GROUP_RANGE } from './id-range.ts';

/** The groups of accounts' volumes, the same on all servers with one folder. */
export type SharedGroups = ReturnType<typeof openSharedGroups>;

/**
 * Opens the groups that servers with a shared folder of volumes agree on: with a group per server, each would take the
 * volumes from the services of the others. A group is a file named after its id that contains the account. The search
 * for an account's file starts at an id that follows from its name, and its file is linked in one step.
 * @param folder Created when missing. No tenant may see it.
 */
export function openSharedGroups(folder: string, range: IdRange = SHARED_GROUP_RANGE) {
  const fileOf = (gid: number) => join(folder, String(gid));
  /** Returns the account of a group that is taken after this call, by `account` if it was free. */
  const claim = async (gid: number, account: string): Promise<string> => {
    const known = await readFile(fileOf(gid), 'utf8').catch(() => undefined);
    if (known !== undefined) return known;
    const draft = join(folder, `${gid}.${randomBytes(6).toString('hex')}.tmp`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      await writeFile(draft, account, { flag: 'wx', mode: 0o600, flush: true });
      await link(draft, fileOf(gid));
      await syncFolder(folder);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    } finally {
      await rm(draft, { force: true });
    }
    return readFile(fileOf(gid), 'utf8');
  };
  return {
    /** Returns true for a group that this may return, whatever server asks. */
    has: (gid: number): boolean => gid >= range.first && gid < range.first + range.count,
    /** Returns the group of an account, allocated on first use. @throws BerthError `out_of_capacity` when all groups are used. */
    async of(account: string): Promise<number> {
      const start = createHash('sha256').update(account).digest().readUInt32BE() % range.count;
      for (let step = 0; step < range.count; step++) {
        const gid = range.first + ((start + step) % range.count);
        if ((await claim(gid, account)) === account) return gid;
      }
      throw createError('out_of_capacity', `All ${range.count} groups of the shared folder have been used.`);
    },
  };
}
