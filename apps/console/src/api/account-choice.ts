const STORED_AS = 'berth.account';

/** The account of this tab, for people who belong to several accounts. */
export interface AccountChoice {
  /** Id of the chosen account; undefined for the account that the person joined first. */
  readonly id: string | undefined;
  choose(id: string): void;
  /** Drops the choice: the person has no access to that account. */
  forget(): void;
  /** Sets who is signed in, and drops a choice that another person made in this tab. */
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
      // A choice without an owner was made by the person who is joining by an invitation.
      if (owner !== undefined && owner !== personId) forget();
      owner = personId;
      if (id !== undefined) storage.setItem(STORED_AS, `${owner} ${id}`);
    },
  };
}
