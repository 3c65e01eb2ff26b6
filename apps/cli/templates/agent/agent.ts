import { berth, defineAgent, dev } from '@berth/agent';

export const agent = defineAgent({
  name: '{{name}}',
  // Deployed, people sign in with their accounts of the platform.
  auth: process.env['K_SERVICE'] ? berth() : dev(),
  async *handler({ messages, user }) {
    yield `Hello ${user?.name ?? 'there'}! You said: `;
    const last = messages.at(-1)?.content;
    yield typeof last === 'string' ? last : 'something with attachments.';
  },
});

// A test imports the agent without starting it.
if (import.meta.main) await agent.listen();
