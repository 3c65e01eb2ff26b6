import { z } from '@hono/zod-openapi';
import { passwordSchema } from './session.ts';

/** Body of `POST /v1/auth/first-run`, which creates the platform's first user. */
export const firstRunRequestSchema = z
  .object({
    token: z
      .string()
      .min(1)
      .max(200)
      .openapi({ description: 'What stands behind the # of the link that the server printed' }),
    email: z.email(),
    password: passwordSchema,
    name: z.string().trim().min(1).max(100).optional(),
  })
  .openapi('FirstRunRequest');

export type FirstRunRequest = z.input<typeof firstRunRequestSchema>;
