import { berth, defineAgent, dev } from '@berth/agent';
import { answer } from './answer.ts';

const agent = defineAgent({
  name: 'agent-echo',
  title: 'Echo',
  description: 'Says back what it hears, and shows what an agent can show. Say "help".',
  // Deployed, people sign in with their accounts of the platform.
  auth: process.env['K_SERVICE'] ? berth() : dev(),
  async *handler(context) {
    yield* answer(context);
  },
});

await agent.listen();
