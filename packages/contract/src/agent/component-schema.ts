import { z } from 'zod';
import { CALLOUT_STYLES, STEP_RESULT_CHARACTERS } from './frame.ts';
import { jsonText } from './json-text.ts';

/**
 * The frames that a handler may yield. Unknown fields are removed. Frames are validated at run time, because a handler may
 * be plain JavaScript or pass on a model's output.
 */
export const componentSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), thinking: z.string() }),
  z.object({ type: z.literal('code'), code: z.string(), language: z.string().optional() }),
  z
    .object({
      type: z.literal('table'),
      headers: z.array(z.string()).optional(),
      row: z.array(z.string()).optional(),
    })
    .refine((table) => (table.headers === undefined) !== (table.row === undefined), {
      message: 'a table frame has headers or a row, one of them',
    }),
  z.object({
    type: z.literal('callout'),
    callout: z.string(),
    style: z.enum(CALLOUT_STYLES).default('info'),
    title: z.string().optional(),
  }),
  z.object({
    type: z.literal('image'),
    src: z.string(),
    alt: z.string().optional(),
    caption: z.string().optional(),
  }),
  z.object({ type: z.literal('status'), status: z.string() }),
  z.object({
    type: z.literal('step'),
    step: z.string().optional(),
    tool_name: z.string().optional(),
    id: z.string().optional(),
    ok: z.boolean().optional(),
    started: z.boolean().optional(),
    pending: z.boolean().optional(),
    args: z.unknown().transform(jsonText).optional(),
    result: z
      .string()
      .transform((text) => text.slice(0, STEP_RESULT_CHARACTERS))
      .optional(),
    connector: z.string().optional(),
    parent: z.string().optional(),
  }),
  z.object({ type: z.literal('step_arg'), id: z.string(), delta: z.string() }),
  z.object({ type: z.literal('tool_call'), id: z.string(), tool: z.string(), args: z.unknown() }),
  z.object({
    type: z.literal('sources'),
    id: z.string(),
    sources: z.array(z.object({ title: z.string(), url: z.string(), snippet: z.string().optional() })),
  }),
  z.looseObject({ type: z.literal('ui'), action: z.string().min(1) }),
]);
