/** The user that an owner's programs run as, on a server that is root. */
export interface Identity {
  readonly uid: number;
  /** The owner's own group; of the same number as `uid`. */
  readonly gid: number;
  /** The group of the account: what all services of one account may share, volumes, belongs to it. */
  readonly accountGid: number;
}
