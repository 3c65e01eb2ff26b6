import { z } from '@hono/zod-openapi';

/** The response of an operation without a result: a sentence that says what was done. */
export const messageSchema = z.object({ detail: z.string() }).openapi('Message');

export type Message = z.infer<typeof messageSchema>;
