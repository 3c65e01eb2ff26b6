import { randomBytes } from 'node:crypto';
import type { ToolMemory } from '@berth/agent-core';
import type { MemoryStore, OwnerKey, StoredMemory } from '@berth/agent-store';
import { createError, createValidationError } from '@berth/contract';
import { AGENT_LIMITS, MEMORY_SCOPES, type Memory, type MemoryScope } from '@berth/contract/agent';
import type { Clock } from '@berth/kit';

export interface CreateMemoryOptions {
  readonly store: MemoryStore;
  readonly clock: Clock;
  /** The key of what the person has in the workspace. */
  readonly ownerKey: OwnerKey;
  readonly workspace: { readonly type: 'personal' | 'team'; readonly key: OwnerKey };
  /** Author of changes made through this object. */
  readonly by: StoredMemory['by'];
}

/**
 * Returns the memory that a person sees in a workspace: their own there, and the team's. It takes no owner, so no one else's is in
 * reach.
 */
export function createMemory({ store, clock, ownerKey, workspace, by }: CreateMemoryOptions): ToolMemory {
  const owners = new Map<MemoryScope, OwnerKey>([['person', ownerKey]]);
  if (workspace.type === 'team') owners.set('team', workspace.key);
  const ownerOf = (scope: MemoryScope): OwnerKey => {
    const owner = owners.get(scope);
    if (owner !== undefined) return owner;
    const msg = "the personal workspace has no team: use a team's workspace, or the scope person";
    throw createValidationError([{ loc: ['scope'], msg, type: 'scope_invalid' }]);
  };
  return {
    async list() {
      const memories: Memory[] = [];
      for (const scope of MEMORY_SCOPES) {
        const owner = owners.get(scope);
        if (owner === undefined) continue;
        memories.push(...(await store.list(owner)).map((one) => toMemory(one, scope)));
      }
      return memories;
    },
    async add(text, scope) {
      const owner = ownerOf(scope);
      const nowMs = clock.nowMs();
      // Short, because models write it.
      const id = `m_${randomBytes(4).toString('hex')}`;
      const memory = { id, text, by, createdAtMs: nowMs, updatedAtMs: nowMs };
      if (await store.add(owner, memory, AGENT_LIMITS.memoryEntries)) return toMemory(memory, scope);
      const full = `The memory is full: it has ${AGENT_LIMITS.memoryEntries} entries. Delete or change one of them.`;
      throw createError('conflict', full);
    },
    async change(id, text) {
      for (const [scope, owner] of owners) {
        const memory = await store.update(owner, id, { text, by, updatedAtMs: clock.nowMs() });
        if (memory) return toMemory(memory, scope);
      }
      throw unknown();
    },
    async remove(id) {
      for (const owner of owners.values()) if ((await store.remove(owner, id)) > 0) return;
      throw unknown();
    },
    erase: async (scope) => await store.remove(ownerOf(scope)),
  };
}

function unknown() {
  return createError('not_found', 'No memory has this ID.');
}

function toMemory({ id, text, by, createdAtMs, updatedAtMs }: StoredMemory, scope: MemoryScope): Memory {
  const [created_at, updated_at] = [new Date(createdAtMs).toISOString(), new Date(updatedAtMs).toISOString()];
  return { id, text, scope, by, created_at, updated_at };
}
