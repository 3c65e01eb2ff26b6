import { defineTool } from '@berth/agent-core';
import { z } from 'zod';
import { defineAgent } from '../../compose/define-agent.ts';
import { scripted } from '../../models/scripted.ts';

// An agent as its owner starts it, with a tool. Environment: PORT, and the OTEL_* variables under test.
const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  risk: 'read',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a + b,
});
const model = scripted([{ calls: [{ tool: 'add', args: { a: 2, b: 3 } }] }, 'It is 5.']);
const agent = defineAgent({ name: 'calc', model, tools: [add] });
const { url } = await agent.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`listening ${url}\n`);
