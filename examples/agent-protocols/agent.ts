import { berth, defineAgent, defineTool, dev, scripted, z } from '@berth/agent';

const orders = new Map([
  ['7', 'packed'],
  ['8', 'on its way'],
]);

const cancelOrder = defineTool({
  name: 'cancel_order',
  description: 'Cancels an order.',
  // A person is asked each time, also when a program calls the agent.
  risk: 'destructive',
  input: z.object({ order: z.string() }),
  label: ({ order }) => `Cancel order ${order}`,
  run({ order }) {
    orders.set(order, 'canceled');
    return `Order ${order} is canceled.`;
  },
});

const agent = defineAgent({
  name: 'agent-protocols',
  title: 'Order desk',
  description: 'Tells where an order is, and cancels it.',
  auth: process.env['K_SERVICE'] ? berth() : dev(),
  protocols: { a2a: true, agUi: true, mcp: true },
  tools: [cancelOrder],
  // In place of a model: agent-model has one.
  model: scripted(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return last.text;
    const asked = JSON.stringify(messages.findLast(({ role }) => role === 'user'));
    const order = /order (\d+)/i.exec(asked)?.[1] ?? '7';
    if (/cancel/i.test(asked)) return { calls: [{ tool: 'cancel_order', args: { order } }] };
    return `Order ${order} is ${orders.get(order) ?? 'not known'}.`;
  }),
});

await agent.listen();
