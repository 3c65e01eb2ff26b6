import { type AgentApp, publicOrigin, routesOf } from '@berth/agent-core';
import { AGENT_LIMITS } from '@berth/contract/agent';
import { eventStream, jsonBody, jsonResponse, serverSentEvent } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { callerOf } from '../turn/protocol-turn.ts';
import type { A2aSdk } from './a2a-sdk.ts';
import { agentCard } from './agent-card.ts';
import { type A2aDeps, CALLER, createRequestHandler } from './create-request-handler.ts';

const requestSchema = z.looseObject({}).openapi('A2aRequest', {
  description: 'A JSON-RPC request of the A2A specification 1.0. Wrong ones are answered by an error of JSON-RPC.',
});

const cardSchema = z
  .looseObject({ name: z.string(), description: z.string() })
  .openapi('AgentCard', { description: 'As defined by the A2A specification 1.0' });

/** Registers the agent's card and its operations for other agents. Source: docs/contract/agent-api.md §14, "A2A". */
export function registerA2aRoutes(app: AgentApp, deps: A2aDeps, sdk: A2aSdk): void {
  const route = routesOf(app, deps, 'Protocols');
  const handler = new sdk.JsonRpcTransportHandler(createRequestHandler(sdk, deps));
  route('GET /.well-known/agent-card.json', 'getAgentCard', {
    access: 'public',
    summary: 'Get the agent card',
    responses: { 200: jsonResponse(cardSchema, 'The card') },
  }).handle((c) =>
    c.json(sdk.AgentCard.toJSON(agentCard(deps, publicOrigin(c))) as z.infer<typeof cardSchema>, 200, {
      'Cache-Control': 'public, max-age=300',
      Vary: 'X-Forwarded-Host, X-Forwarded-Proto',
    }),
  );
  route('POST /a2a', 'a2a', {
    access: 'turn',
    bodyBytes: AGENT_LIMITS.turnBytes,
    summary: 'Call the agent with A2A',
    description: 'JSON-RPC of the Agent2Agent protocol. Streaming methods answer with server-sent events.',
    request: { body: jsonBody(requestSchema) },
    responses: {
      200: {
        description: 'The result or the error, or events with results',
        content: { 'application/json': { schema: z.looseObject({}) }, 'text/event-stream': { schema: z.string() } },
      },
    },
  }).handle(async (c) => {
    const logger = c.get('logger');
    const request = c.req.valid('json');
    const failed = (error: unknown) => ({
      jsonrpc: '2.0',
      id: (request['id'] ?? null) as string | number | null,
      error: sdk.JsonRpcTransportHandler.mapToJSONRPCError(error),
    });
    const requestedVersion = c.req.header('a2a-version');
    const context = new sdk.ServerCallContext({
      ...(requestedVersion !== undefined && { requestedVersion }),
      state: new Map<string, unknown>([[CALLER, callerOf(c)]]),
    });
    try {
      sdk.validateVersion(context.requestedVersion, agentCard(deps, publicOrigin(c)), 'JSONRPC');
    } catch (error) {
      return c.json(failed(error), 200);
    }
    const answer = await handler.handle(request, context);
    if (!(Symbol.asyncIterator in answer)) return c.json(answer as { [key: string]: unknown }, 200);
    // Errors before the first result are no stream, as the SDK's own server has it.
    let first: IteratorResult<unknown, void>;
    try {
      first = await answer.next();
    } catch (error) {
      return c.json(failed(error), 200);
    }
    async function* follow(): AsyncGenerator<string> {
      try {
        if (!first.done) yield serverSentEvent(JSON.stringify(first.value));
        for await (const event of answer as AsyncIterable<unknown>) yield serverSentEvent(JSON.stringify(event));
      } catch (error) {
        yield `event: error\n${serverSentEvent(JSON.stringify(failed(error)))}`;
      }
    }
    return eventStream(follow, { clock: deps.clock, logger, silenceMs: AGENT_LIMITS.pingMs });
  });
}
