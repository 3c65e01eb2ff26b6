/** The user that an owner's programs run as, on a server that is root. */
export interface Identity {
  readonly uid: number;
  /** The owner's own group, with the same number as `uid`. */
  readonly gid: number;
  /** The account's group, which owns the volumes that the account's services share. */
  readonly accountGid: number;
}
