import { z } from '@hono/zod-openapi';

/** Answer of an operation that has nothing else to say: what was done, as a sentence. */
export const messageSchema = z.object({ detail: z.string() }).openapi('Message');

export type Message = z.infer<typeof messageSchema>;
