import type { RouteGuard } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { noRunSchema, runInProgressSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { SpeechOptions } from '../../speech/create-transcriber.ts';
import type { TurnDeps } from '../start-turn.ts';

/** Dependencies of the routes of turns. */
export interface TurnRouteDeps extends RouteGuard, TurnDeps {
  /** Undefined for an agent without a speech service. */
  readonly speech: SpeechOptions | undefined;
}

const frames = { description: 'The frames of the turn', content: { 'text/event-stream': { schema: z.string() } } };

/** Responses about runs, for route objects. */
export const runResponses = {
  frames: {
    200: frames,
    409: jsonResponse(runInProgressSchema, 'The chat has a live run; `Retry-After` says when to retry'),
  },
  noRun: { 404: jsonResponse(noRunSchema, 'The chat has no live run') },
} as const;

/** Returns the 404 for a chat without a run. Source: docs/contract/agent-api.md §2, "Runs". */
export function noRunError(message: string): Error {
  return createError('not_found', message, { details: { body: { error: 'no_run' } } });
}
