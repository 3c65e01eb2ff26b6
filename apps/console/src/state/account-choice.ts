const STORED_AS = 'berth.account';

/** The account that this tab works in, for people who belong to several. */
export interface AccountChoice {
  readonly id: string | undefined;
  choose(id: string): void;
}

export function createAccountChoice(storage: Pick<Storage, 'getItem' | 'setItem'>): AccountChoice {
  let id = storage.getItem(STORED_AS) ?? undefined;
  return {
    get id() {
      return id;
    },
    choose(next) {
      id = next;
      storage.setItem(STORED_AS, next);
    },
  };
}
