/** Who the programs of an image run as. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  /** The image wants to be root, and may not. */
  readonly isReplaced: boolean;
  /** It has a home folder in the image. */
  readonly hasHome: boolean;
}

/** As images that Berth builds: whoever may not be root is one of them, and shares their volumes. */
export const UNPRIVILEGED = { uid: 10_001, gid: 10_001 } as const;

/** A line of /etc/passwd that names a user: name, uid, gid. Source: passwd(5). */
interface PasswdEntry {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Reads the `USER` of an image as numbers, so that nothing in it decides later who that is: a name may stand for 0.
 *
 * @param text `name`, `uid`, `name:group`, `uid:gid` or empty. Source: Dockerfile reference, USER.
 * @param passwd the image's /etc/passwd; empty when it has none.
 * @param group the image's /etc/group, likewise.
 */
export function chooseUser(
  text: string,
  { passwd, group }: { readonly passwd: string; readonly group: string },
  isRootAllowed: boolean,
): ContainerUser | undefined {
  const [user = '', groupName = ''] = text.split(':');
  const entries = parseEntries(passwd);
  const entry = entries.find(({ name, uid }) => name === user || String(uid) === user);
  const uid = user === '' ? 0 : (toId(user) ?? entry?.uid);
  const gid = groupName === '' ? (entry?.gid ?? uid) : (toId(groupName) ?? findGroup(group, groupName));
  if (uid === undefined || gid === undefined) return undefined;
  if (isRootAllowed) return { uid, gid, isReplaced: false, hasHome: true };
  if (uid === 0) return { ...UNPRIVILEGED, isReplaced: true, hasHome: false };
  return { uid, gid: gid === 0 ? uid : gid, isReplaced: false, hasHome: entry !== undefined };
}

function toId(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function parseEntries(passwd: string): PasswdEntry[] {
  return passwd.split('\n').flatMap((line) => {
    const [name = '', , uid = '', gid = ''] = line.split(':');
    return toId(uid) === undefined || toId(gid) === undefined ? [] : [{ name, uid: Number(uid), gid: Number(gid) }];
  });
}

/** Source: group(5). */
function findGroup(group: string, wanted: string): number | undefined {
  const fields = group.split('\n').map((line) => line.split(':'));
  return toId(fields.find(([name]) => name === wanted)?.[2] ?? '');
}
