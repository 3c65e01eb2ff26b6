const STORED_AS = 'berth.account';

/** The account that this tab works in, for people who belong to several. */
export interface AccountChoice {
  /** Undefined: the one that the person joined first. */
  readonly id: string | undefined;
  choose(id: string): void;
  /** The account is closed to the person, or was never theirs. */
  forget(): void;
  /** A choice that somebody else made in this tab is none of this person's. */
  enter(personId: string): void;
}

export function createAccountChoice(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): AccountChoice {
  const [storedOwner, storedId] = storage.getItem(STORED_AS)?.split(' ') ?? [];
  let owner = storedOwner || undefined;
  let id = storedId;
  const forget = () => {
    id = undefined;
    storage.removeItem(STORED_AS);
  };
  return {
    get id() {
      return id;
    },
    choose(next) {
      id = next;
      storage.setItem(STORED_AS, `${owner ?? ''} ${next}`);
    },
    forget,
    enter(personId) {
      // Before anybody was known here it is the choice of who joins by an invitation.
      if (owner !== undefined && owner !== personId) forget();
      owner = personId;
      if (id !== undefined) storage.setItem(STORED_AS, `${owner} ${id}`);
    },
  };
}
