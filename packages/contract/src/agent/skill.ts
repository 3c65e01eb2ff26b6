import { z } from '@hono/zod-openapi';

/** A skill: instructions for a kind of task, which the model loads when it needs them. Source: docs/contract/agent-api.md §12. */
const skillSchema = z
  .object({
    /** The name of its folder. */
    name: z.string(),
    /** When to use it; empty when it could not be read. */
    description: z.string(),
    /** `agent`: shipped with the agent; `workspace`: in the folder `skills` of the workspace. */
    source: z.enum(['agent', 'workspace']),
    /** Why it is not used. */
    problem: z.string().optional(),
  })
  .openapi('Skill');

export type Skill = z.infer<typeof skillSchema>;

/** Response of `GET /skills`. */
export const skillsSchema = z.array(skillSchema).openapi('Skills');
