import { fromSection } from './requirement.ts';

/** Section 12 of the agent's page: standard protocols. */
export const AGENT_PROTOCOLS = fromSection('agent-api §12', {
  'mcp.tool': 'The MCP server has one tool, which answers a message in a chat of the caller and goes on by chat_id.',
  'mcp.people': 'Callers of the MCP server need a token where the agent has auth, and see their own chats only.',
  'mcp.approval':
    'A call that needs approval does not run: the client’s form decides, or the result says needs_approval.',
  'mcp.cancel': 'A canceled call of the MCP server stops its turn.',
  'mcp.metadata': 'A 401 of /mcp points to the metadata of the resource, which names the issuer.',
});
