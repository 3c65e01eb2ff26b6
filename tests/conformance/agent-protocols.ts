import { fromSection } from './requirement.ts';

/** Section 12 of the agent's page: standard protocols. */
export const AGENT_PROTOCOLS = fromSection('agent-api §12', {
  'ag-ui.turn':
    'POST /ag-ui answers the last message of the user in the chat of the thread’s id, and ends with RUN_FINISHED.',
  'ag-ui.events':
    'Components are Markdown, thinking is reasoning, other frames are CUSTOM events named after their type.',
  'ag-ui.sub-agents': 'Steps of a sub-agent carry its id, between SUBAGENT_STARTED and SUBAGENT_FINISHED.',
  'ag-ui.approval': 'A call that needs approval ends the run with an interrupt; resume decides and the answer goes on.',
  'ag-ui.stop': 'A client that disconnects stops its turn.',
  'ag-ui.refused': 'What can’t be honored is 422 before a run begins.',
  'mcp.tool': 'The MCP server has one tool, which answers a message in a chat of the caller and goes on by chat_id.',
  'mcp.people': 'Callers of the MCP server need a token where the agent has auth, and see their own chats only.',
  'mcp.approval':
    'A call that needs approval does not run: the client’s form decides, or the result says needs_approval.',
  'mcp.cancel': 'A canceled call of the MCP server stops its turn.',
  'mcp.metadata': 'A 401 of /mcp points to the metadata of the resource, which names the issuer.',
});
