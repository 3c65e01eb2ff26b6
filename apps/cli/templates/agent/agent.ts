import { berth, defineAgent, dev } from '@berth/agent';

const agent = defineAgent({
  name: '{{name}}',
  // Deployed, people sign in with their accounts of the platform.
  auth: process.env['K_SERVICE'] ? berth() : dev(),
  async *handler({ messages, user }) {
    yield `Hello ${user?.name ?? 'there'}! You said: `;
    const last = messages.at(-1)?.content;
    yield typeof last === 'string' ? last : 'something with attachments.';
  },
});

await agent.listen();
