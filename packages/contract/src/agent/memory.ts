import { z } from '@hono/zod-openapi';
import { AGENT_LIMITS } from './limits.ts';

/** The scopes of memory, in the order of lists. */
export const MEMORY_SCOPES = ['person', 'team'] as const;

/** Scope of a memory: the person's own in this workspace, or the team's, which all members share. Source: docs/contract/agent-api.md §13. */
export const memoryScopeSchema = z.enum(MEMORY_SCOPES).openapi('MemoryScope');

export type MemoryScope = z.infer<typeof memoryScopeSchema>;

/** A text to remember: one line, because the system prompt lists it. */
export const memoryTextSchema = z
  .string()
  .transform((text) => text.replace(/\s+/g, ' ').trim())
  .pipe(z.string().min(1).max(AGENT_LIMITS.memoryCharacters));

/** Body of `PUT /memory/{id}`. */
export const changeMemorySchema = z.object({ text: memoryTextSchema }).openapi('ChangeMemory');

/** Body of `POST /memory`. */
export const addMemorySchema = changeMemorySchema
  .extend({ scope: memoryScopeSchema.default('person') })
  .openapi('AddMemory');

/** Something that the agent remembers. */
export const memorySchema = z
  .object({
    id: z.string(),
    text: z.string(),
    scope: memoryScopeSchema,
    /** Author of the current text. */
    by: z.enum(['agent', 'user']),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi('Memory');

export type Memory = z.infer<typeof memorySchema>;

/** Response of `GET /memory`. */
export const memoriesSchema = z.array(memorySchema).openapi('Memories');
