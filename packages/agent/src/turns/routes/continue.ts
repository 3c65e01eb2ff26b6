import { type AgentApp, routesOf } from '@berth/agent-core';
import { type AgentStores, type OwnerKey, type StoredRun, statusOf } from '@berth/agent-store';
import { createError } from '@berth/contract';
import {
  AGENT_LIMITS,
  chatIdSchema,
  continueAnswerSchema,
  continuedAnswerSchema,
  type Frame,
} from '@berth/contract/agent';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { formatTurnRequest, parseTurnRequest } from '../../approvals/turn-request.ts';
import { readLogged } from '../../runs/read-logged.ts';
import type { TurnRouteDeps } from './turn-route.ts';

/** Dependencies of {@link registerContinue}. */
export interface ContinueRouteDeps extends TurnRouteDeps {
  readonly stores: Pick<AgentStores, 'chats' | 'runs'>;
  /** Continues the chat's last answer; returns the ID of the run, or undefined if the answer can't continue. */
  continueAnswer(place: {
    readonly owner: OwnerKey;
    readonly chatId: string;
    readonly request: string;
  }): Promise<string | undefined>;
}

/** `POST /chats/{id}/continue` [+]. Source: docs/contract/agent-api.md §2, "Connecting". */
export function registerContinue(app: AgentApp, deps: ContinueRouteDeps): void {
  const route = routesOf(app, deps, 'Chat');
  const { stores, clock } = deps;
  route('POST /chats/{id}/continue', 'continueAnswer', {
    access: 'user',
    errors: ['not_found', 'conflict'],
    summary: 'Continue an answer that waited for a connector',
    description:
      'Continues the last answer of the chat as the run `run`, without a message from the user: follow it with ' +
      '`GET /chats/{id}/stream`. Only an answer that ends with a `connect` card continues; while it does, the call returns the same ' +
      'run. 409 for any other answer, while calls of the chat wait for approval, and for an agent that can’t continue on its own: ' +
      'send a message instead.',
    request: { params: z.object({ id: chatIdSchema }), body: jsonBody(continueAnswerSchema) },
    responses: { 200: jsonResponse(continuedAnswerSchema, 'The answer continues') },
  }).handle(async (c) => {
    const { id: chatId } = c.req.valid('param');
    const { disabled_tools: disabledTools, auto, connectors } = c.req.valid('json');
    const owner = c.get('owner');
    if (!(await stores.chats.find(owner, chatId))) throw createError('not_found', 'No such chat.');
    const found = await stores.runs.findLast(owner, chatId);
    let run = found && continuedRun(found, clock.nowMs());
    if (run === undefined && found && (await endsWithConnect(stores, found))) {
      const request = formatTurnRequest(c.get('user')!, c.get('workspace'), { disabledTools, auto, connectors });
      run = await deps.continueAnswer({
        ...{ owner, chatId },
        request: JSON.stringify({ ...parseTurnRequest(request), isConnected: true }),
      });
      // Of two calls at once, the slower one finds the run of the other.
      const last = run === undefined ? await stores.runs.findLast(owner, chatId) : undefined;
      run ??= last && continuedRun(last, clock.nowMs());
    }
    if (run === undefined) throw createError('conflict', "This answer can't be continued. Send a message instead.");
    return c.json({ run }, 200);
  });
}

/** Returns the ID of a live run that continues an answer after a connection; undefined for any other run. */
function continuedRun(run: StoredRun, nowMs: number): string | undefined {
  if (statusOf(run, nowMs) !== 'running' || run.request === undefined) return undefined;
  return parseTurnRequest(run.request).isConnected ? run.id : undefined;
}

/** True if the chat's last message belongs to the run, and the run's last frame is a `connect` card. */
async function endsWithConnect(
  { chats, runs }: ContinueRouteDeps['stores'],
  { id, owner, chatId, status, hasFrames }: StoredRun,
): Promise<boolean> {
  if (status !== 'done' || !hasFrames) return false;
  // The exchange may have been deleted since. An answer that is only a card leaves no message: the question has the run's ID, too.
  const last = (await chats.messages(owner, chatId)).findLast(({ isInternal }) => !isInternal);
  if (last?.runId !== id) return false;
  let json: string | undefined;
  let seq = 0;
  for (;;) {
    const frames = await readLogged(runs, { owner, id }, seq, AGENT_LIMITS.runBytes);
    const end = frames.at(-1);
    if (!end) break;
    ({ seq, json } = end);
  }
  const frame = json === undefined ? undefined : (JSON.parse(json) as Frame);
  return frame?.type === 'ui' && frame.action === 'connect';
}
