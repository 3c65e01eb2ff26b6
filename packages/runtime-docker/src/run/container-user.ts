/** The user that the programs of an image run as. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  /** The image asks for root, which isn't allowed. */
  readonly isReplaced: boolean;
  /** The user has a home folder in the image. */
  readonly hasHome: boolean;
}

/** The user of images that Berth builds. Images that may not run as root get the same one, so that they can share volumes. */
export const UNPRIVILEGED = { uid: 10_001, gid: 10_001 } as const;

/** An entry of /etc/passwd. Source: passwd(5). */
interface PasswdEntry {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Resolves the `USER` of an image to numbers, because a name may stand for user id 0. Returns undefined when the user or group is unknown.
 * @param text `name`, `uid`, `name:group`, `uid:gid` or empty. Source: Dockerfile reference, USER.
 * @param files Text of the image's /etc/passwd and /etc/group; empty when missing.
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
