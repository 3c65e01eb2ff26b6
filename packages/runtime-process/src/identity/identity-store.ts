import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createError } from '@berth/contract';
import { createLimiter } from '@berth/kit';
import { writePrivateFile } from '@berth/kit/node';
import type { Owner } from '@berth/runtime';
import * as z from 'zod';
import type { Identity } from './can-reach.ts';
import type { IdRange } from './id-range.ts';
import type { SharedGroups } from './shared-groups.ts';

/**
 * The durable store of the user id of each owner. Invariants:
 * 1. An id is on disk before it is returned.
 * 2. No id is ever given to a second owner, not even after the first was forgotten, because files of the first may remain.
 */
export type IdentityStore = Awaited<ReturnType<typeof openIdentityStore>>;

const File = z.object({
  version: z.literal(1),
  range: z.object({ first: z.int().positive(), count: z.int().positive() }),
  /** The first id that was never allocated. */
  next: z.int().positive(),
  /** Pairs of {@link keyOf} and user id. */
  owners: z.array(z.tuple([z.string(), z.int().positive()])),
  accounts: z.array(z.tuple([z.string(), z.int().positive()])),
});

interface State {
  readonly range: IdRange;
  readonly next: number;
  readonly owners: ReadonlyMap<string, number>;
  readonly accounts: ReadonlyMap<string, number>;
}

/**
 * Opens the store.
 * @param range Used only when the file doesn't exist yet; otherwise the file's range applies.
 * @param sharedGroups The groups of accounts, when several servers share them. An account's earlier group isn't used then.
 * @throws Error when the file is damaged: guessing could give an owner another owner's files.
 */
export async function openIdentityStore(file: string, range: IdRange, sharedGroups?: SharedGroups) {
  let state = await readState(file, range);
  const queue = createLimiter({ concurrency: 1 });

  const write = async (next: State): Promise<void> => {
    const content = { ...next, version: 1, owners: [...next.owners], accounts: [...next.accounts] };
    await writePrivateFile(file, JSON.stringify(content));
    state = next;
  };
  const findGroup = (account: string): number | undefined => {
    const gid = state.accounts.get(account);
    return gid === undefined || (sharedGroups && !sharedGroups.has(gid)) ? undefined : gid;
  };
  const find = (owner: Owner): Identity | undefined => {
    const uid = state.owners.get(keyOf(owner));
    const accountGid = findGroup(owner.account);
    return uid === undefined || accountGid === undefined ? undefined : { uid, gid: uid, accountGid };
  };
  /** Allocates the next id and stores it. */
  const take = async (change: (id: number) => Partial<State>): Promise<number> => {
    const { next, range: own } = state;
    if (next >= own.first + own.count) {
      throw createError('out_of_capacity', `All ${own.count} user ids of this server have been used.`);
    }
    await write({ ...state, next: next + 1, ...change(next) });
    return next;
  };
  const allocateGroup = async (account: string): Promise<number> => {
    const known = findGroup(account);
    if (known !== undefined) return known;
    if (!sharedGroups) return take((gid) => ({ accounts: new Map(state.accounts).set(account, gid) }));
    const gid = await sharedGroups.of(account);
    await write({ ...state, accounts: new Map(state.accounts).set(account, gid) });
    return gid;
  };
  const allocate = async (owner: Owner): Promise<Identity> => {
    const known = find(owner);
    if (known) return known;
    const accountGid = await allocateGroup(owner.account);
    const uid = await take((id) => ({ owners: new Map(state.owners).set(keyOf(owner), id) }));
    return { uid, gid: uid, accountGid };
  };

  return {
    get range() {
      return state.range;
    },
    /**
     * Returns the owner's identity, allocated on first use.
     * @throws BerthError `out_of_capacity` when the range is used up.
     */
    of: async (owner: Owner): Promise<Identity> => find(owner) ?? queue.run(() => allocate(owner)),
    /**
     * Returns the group of an account ({@link Identity.accountGid}), allocated on first use.
     * @throws BerthError `out_of_capacity` when the range is used up.
     */
    groupOf: async (account: string): Promise<number> => findGroup(account) ?? queue.run(() => allocateGroup(account)),
    /** Deletes the owner's entry. Its id is never reused. */
    forget: (owner: Owner): Promise<void> =>
      queue.run(async () => {
        const owners = new Map(state.owners);
        if (owners.delete(keyOf(owner))) await write({ ...state, owners });
      }),
    /** Returns all user ids that programs of an owner may be running as. */
    userIds: (): ReadonlySet<number> => new Set(state.owners.values()),
  };
}

/** Returns the {@link IdentityStore.userIds} of a dead server; none when the file is missing or damaged. */
export function readUserIds(file: string): ReadonlySet<number> {
  try {
    return new Set(parseState(readFileSync(file, 'utf8')).owners.values());
  } catch {
    return new Set();
  }
}

function keyOf({ account, deployment }: Owner): string {
  return JSON.stringify([account, deployment]);
}

async function readState(file: string, range: IdRange): Promise<State> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return { range, next: range.first, owners: new Map(), accounts: new Map() };
  }
  try {
    return parseState(text);
  } catch (cause) {
    throw new Error(`${file} is damaged. It maps users to services' files. Restore it from a backup.`, {
      cause,
    });
  }
}

function parseState(text: string): State {
  const { range, next, owners, accounts } = File.parse(JSON.parse(text));
  return { range, next, owners: new Map(owners), accounts: new Map(accounts) };
}
