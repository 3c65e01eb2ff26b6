import { defineAgent } from '../compose/define-agent.ts';
import { testAuth } from './test-auth.ts';

// An agent as its owner starts it, whose turns count to ten in a second. Environment: PORT and BERTH_AGENT_DATA.
await defineAgent({
  name: 'draining',
  auth: testAuth(),
  async *handler({ signal }) {
    for (let number = 1; number <= 10 && !signal.aborted; number++) {
      yield `${number} `;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  },
}).listen();
