import type { OwnerKey } from './owner-key.ts';

/** Something that an agent remembers. */
export interface StoredMemory {
  /** Unique within its owner. */
  readonly id: string;
  readonly text: string;
  /** Author of the current text. */
  readonly by: 'agent' | 'user';
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Memories of an agent about its owners: a person in a workspace, or a team. */
export interface MemoryStore {
  /** Returns all of an owner, oldest first. */
  list(owner: OwnerKey): Promise<readonly StoredMemory[]>;
  /** Adds one; false when the owner has `limit` of them. Calls at the same time may exceed the limit by their number. */
  add(owner: OwnerKey, memory: StoredMemory, limit: number): Promise<boolean>;
  /** Replaces the text of one; undefined when there is none. */
  update(
    owner: OwnerKey,
    id: string,
    change: Pick<StoredMemory, 'text' | 'by' | 'updatedAtMs'>,
  ): Promise<StoredMemory | undefined>;
  /** Removes one, or all of an owner; returns how many there were. */
  remove(owner: OwnerKey, id?: string): Promise<number>;
}
